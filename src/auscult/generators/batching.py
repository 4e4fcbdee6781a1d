"""Records and their texts as integers, collated into batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import numpy.typing as npt
import torch
from scipy.sparse import csr_array
from torch import Tensor

from auscult.learning.word_vocabulary import PADDING, UNKNOWN

SKIPPED = -100
"""The target that the loss ignores: after the end, and at unknown words."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordBatch:
    """B encoded records: the indices set in each, concatenated, and where each begins."""

    places: Tensor  # (P,)
    offsets: Tensor  # (B,)

    def to(self, device: torch.device) -> RecordBatch:
        """The same on another device."""
        return RecordBatch(self.places.to(device), self.offsets.to(device))

    def __len__(self) -> int:
        return len(self.offsets)

    def padded(self) -> tuple[Tensor, Tensor]:
        """The indices as (B, K), and the mask of those present."""
        ends = torch.cat([self.offsets[1:], self.offsets.new_tensor([len(self.places)])])
        counts = ends - self.offsets
        columns = torch.arange(max(1, int(counts.max())), device=self.places.device)
        mask = columns < counts[:, None]
        at = (self.offsets[:, None] + columns).clamp_max(max(0, len(self.places) - 1))
        return self.places[at].masked_fill(~mask, 0), mask


@dataclass(frozen=True, slots=True, eq=False)
class TextBatch:
    """B records with the input words, (B, T), and the target words, (B, T)."""

    records: RecordBatch
    words: Tensor
    targets: Tensor

    def to(self, device: torch.device) -> TextBatch:
        """The same on another device."""
        moved = {part.name: getattr(self, part.name).to(device) for part in fields(self)}
        return replace(self, **moved)


def record_batch(vectors: csr_array) -> RecordBatch:
    """Encoded records as a batch."""
    return RecordBatch(
        torch.from_numpy(vectors.indices.astype(np.int64)),
        torch.from_numpy(vectors.indptr[:-1].astype(np.int64)),
    )


def collate(
    vectors: csr_array, texts: Sequence[npt.NDArray[np.int64]], begin: int, end: int
) -> TextBatch:
    """Records and the places of their words as a batch."""
    longest = max(map(len, texts)) + 1
    words = np.full((len(texts), longest), PADDING, np.int64)
    targets = np.full((len(texts), longest), SKIPPED, np.int64)
    for row, text in enumerate(texts):
        words[row, 0] = begin
        words[row, 1 : len(text) + 1] = text
        targets[row, : len(text)] = np.where(text == UNKNOWN, SKIPPED, text)
        targets[row, len(text)] = end
    return TextBatch(record_batch(vectors), torch.from_numpy(words), torch.from_numpy(targets))
