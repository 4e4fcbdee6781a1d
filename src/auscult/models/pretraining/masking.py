"""Whole-word masking (Devlin et al. 2019): which tokens are masked, and what replaces them.

Words are drawn, not tokens, since a piece of a word is easily guessed from its other pieces. Of the
tokens of the words drawn, 80% become the mask, 10% a random token, and 10% stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor, nn

from auscult.models.pretraining.token_store import TokenStore

_MASKED, _REPLACED = 0.8, 0.1


@dataclass(frozen=True, slots=True, eq=False)
class MaskedBatch:
    """Chunks with some tokens masked, and the M masked tokens, row by row."""

    ids: Tensor  # (B, T)
    mask: Tensor  # (B, T), true where there is a token
    hidden: Tensor  # (B, T), true where a token is to be predicted
    labels: Tensor  # (M,)

    def to(self, device: torch.device) -> MaskedBatch:
        """The same on another device."""
        parts = (getattr(self, part.name) for part in fields(self))
        return MaskedBatch(*(part.to(device, non_blocking=True) for part in parts))

    def pin_memory(self) -> MaskedBatch:
        """A copy in pinned memory."""
        return MaskedBatch(*(getattr(self, part.name).pin_memory() for part in fields(self)))


@dataclass(frozen=True, slots=True, eq=False)
class WordMasking:
    """How the tokens of a tokenizer are masked.

    Every chunk stands between `before` and `after`, such as [CLS] and [SEP]. `special` tokens are
    never hidden, and none of the `ordinary` ones is special.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    special: Tensor
    ordinary: Tensor
    mask: int
    padding: int
    probability: float = 0.15

    def batch(self, store: TokenStore, places: Sequence[int]) -> MaskedBatch:
        """The chunks at given indices, masked with torch's random numbers."""
        chunks = [store.chunk(at) for at in places]
        edge = len(self.before)
        rows = [
            torch.tensor([*self.before, *ids.tolist(), *self.after], dtype=torch.int64)
            for ids, _ in chunks
        ]
        ids = nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=self.padding)
        starts = torch.zeros(ids.shape, dtype=torch.bool)
        for row, (_, begins) in enumerate(chunks):
            starts[row, edge : edge + len(begins)] = torch.from_numpy(begins)
        sizes = torch.tensor([len(row) for row in rows])
        is_token = torch.arange(ids.shape[1]) < sizes[:, None]
        hidden = self._hidden(ids, starts, is_token)
        dice = torch.rand(ids.shape)
        others = self.ordinary[torch.randint(len(self.ordinary), ids.shape)]
        given = torch.where(dice < _MASKED, self.mask, ids)
        given = torch.where((dice >= _MASKED) & (dice < _MASKED + _REPLACED), others, given)
        return MaskedBatch(torch.where(hidden, given, ids), is_token, hidden, ids[hidden])

    def _hidden(self, ids: Tensor, starts: Tensor, is_token: Tensor) -> Tensor:
        """The tokens of the drawn words, at least one word per chunk, (B, T)."""
        words = starts.long().cumsum(1)  # (B, T): the number of the word
        chance = torch.rand(ids.shape[0], ids.shape[1] + 1).gather(1, words)
        can_be = is_token & ~torch.isin(ids, self.special)
        chance = chance.masked_fill(~can_be, 2.0)
        return can_be & ((chance < self.probability) | (chance == chance.amin(1, keepdim=True)))
