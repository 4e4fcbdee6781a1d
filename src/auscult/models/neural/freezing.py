"""Freeze the lower layers of an encoder."""

from __future__ import annotations

from typing import Any

from torch import nn

from auscult.core import OptionError


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
    lower = {id(one) for layer in list(layers)[:count] for one in layer.parameters()}
    # Whatever is defined before the first layer is below it: embeddings of all kinds, their norm.
    for one in encoder.parameters():
        if id(one) in upper:
            break
        one.requires_grad_(False)
    for one in encoder.parameters():
        if id(one) in lower:
            one.requires_grad_(False)
    encoder.get_input_embeddings().requires_grad_(False)
