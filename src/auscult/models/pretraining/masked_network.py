"""A masked language model as a network to train: its loss, and its perplexity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from auscult.core.progress import track
from auscult.learning.devices import isolated_random_state, seed_torch
from auscult.models.pretraining.masking import MaskedBatch, WordMasking
from auscult.models.pretraining.token_store import TokenStore

_SAME = 1e-4
"""Tolerance for rounding differences between two ways of computing the same logits."""


class MaskedNetwork(nn.Module):
    """A model of transformers with its loss as the output for a batch."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model
        self._head = _separate_head(model)

    def forward(self, batch: MaskedBatch) -> Tensor:
        """The mean loss of the masked tokens."""
        return functional.cross_entropy(self.logits(batch).float(), batch.labels)

    def logits(self, batch: MaskedBatch) -> Tensor:
        """The logits of all tokens at the masked positions, (M, V).

        The head, which takes as long as a small encoder, is asked for no other places.
        """
        given = {"input_ids": batch.ids, "attention_mask": batch.mask.long()}
        if self._head is None:
            return cast(Tensor, self.model(**given).logits[batch.hidden])
        states = self.model.base_model(**given).last_hidden_state  # (B, T, H)
        return cast(Tensor, getattr(self.model, self._head)(states[batch.hidden]))


def perplexity(loss: float) -> float:
    """The exponential of the mean loss per masked token.

    >>> round(perplexity(math.log(40)), 6)
    40.0
    """
    return math.exp(min(loss, 700.0))


@torch.inference_mode()
def mean_loss(
    network: MaskedNetwork,
    store: TokenStore,
    places: Sequence[int],
    masking: WordMasking,
    batch_size: int,
    *,
    seed: int,
    what: str = "validating",
) -> float:
    """The mean loss of the masked tokens of some chunks, with the same masks every time."""
    device = next(network.parameters()).device
    order = sorted(places, key=lambda at: (int(store.edges[at + 1] - store.edges[at]), at))
    batches = range(0, len(order), batch_size)
    total, count = 0.0, 0
    was_training = network.training
    network.eval()
    with isolated_random_state(device):
        for begin in track(batches, what, len(batches)):
            seed_torch(seed, "validation", begin)
            batch = masking.batch(store, order[begin : begin + batch_size]).to(device)
            loss = functional.cross_entropy(
                network.logits(batch).float(), batch.labels, reduction="sum"
            )
            total += float(loss)
            count += len(batch.labels)
    network.train(was_training)
    return total / count


def _separate_head(model: Any) -> str | None:
    """The name of the module that computes logits from the encoder's output; None if there is none.

    Checked on a few tokens, since the architecture does not declare it.
    """
    parts = [name for name, part in model.named_children() if part is not model.base_model]
    if len(parts) != 1:
        return None
    was_training = model.training
    model.eval()
    try:
        with torch.inference_mode():
            ids = torch.arange(4).reshape(1, 4) % model.config.vocab_size
            states = model.base_model(input_ids=ids).last_hidden_state
            found = getattr(model, parts[0])(states)
            same = torch.allclose(found, model(input_ids=ids).logits, atol=_SAME)
    except (RuntimeError, TypeError, AttributeError):
        same = False
    finally:
        model.train(was_training)
    return parts[0] if same else None
