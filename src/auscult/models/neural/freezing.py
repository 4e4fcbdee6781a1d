"""Freeze the lower layers of an encoder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import nn

from auscult.core import OptionError

_SHARED = {
    "relative_attention_bias": ("relative_attention_bias",),
    "rel_embeddings": ("rel_embeddings", "LayerNorm", "conv"),
}
"""What MPNet and DeBERTa define after their layers and use in the first: embeddings of relative
positions, by which they are told, their norm, and a convolution."""


def freeze_lower(encoder: Any, count: int) -> None:
    """Freeze the embeddings and the first layers: they get no gradient, and no backward pass.

    >>> class Toy(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.words = nn.Embedding(3, 2)
    ...         self.layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
    ...     def get_input_embeddings(self):
    ...         return self.words
    >>> toy = Toy()
    >>> freeze_lower(toy, 2)
    >>> [name for name, one in toy.named_parameters() if one.requires_grad]
    ['layers.2.weight', 'layers.2.bias']
    """
    if not count:
        return
    lists = [part for part in encoder.modules() if isinstance(part, nn.ModuleList)]
    layers = max(lists, key=len, default=nn.ModuleList())
    if count >= len(layers):
        raise OptionError(
            f"freeze_layers is {count}, and the encoder has {len(layers)} layers. Lower "
            "freeze_layers, so that at least one layer is trained."
        )
    upper = {id(one) for layer in list(layers)[count:] for one in layer.parameters()}
    shared = {id(one) for part in _shared(encoder) for one in part.parameters()}
    shared |= {id(one) for one in encoder.get_input_embeddings().parameters()}
    is_above = False
    for one in encoder.parameters():
        if id(one) in upper:
            is_above = True
        # What is defined after the layers comes after them, such as a last norm.
        elif not is_above or id(one) in shared:
            one.requires_grad_(False)


def _shared(encoder: nn.Module) -> Iterator[nn.Module]:
    for part in encoder.modules():
        for mark, names in _SHARED.items():
            if hasattr(part, mark):
                found = (getattr(part, name, None) for name in names)
                yield from (one for one in found if isinstance(one, nn.Module))
