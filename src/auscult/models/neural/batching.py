"""Charts encoded as integers and collated into batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from auscult.learning.word_vocabulary import PADDING, WordVocabulary
from auscult.models.examples import Example


@dataclass(frozen=True, slots=True, eq=False)
class EncodedChart:
    """A chart as numbers: its words, its codes, and for codes with evidence which words it is."""

    words: npt.NDArray[np.integer]
    codes: npt.NDArray[np.int64]
    evidence: tuple[tuple[int, npt.NDArray[np.integer]], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ChartBatch:
    """Charts padded to the longest of them: B charts of T words, and P pairs of chart and code.

    `gold` is 1 for the codes of each chart. Pair p is code `codes[p]` of chart `rows[p]`; the
    pairs are those whose evidence is wanted, sorted by chart, and `evidence` marks their words.
    """

    words: Tensor  # (B, T)
    mask: Tensor  # (B, T), true where there is a word
    gold: Tensor  # (B, L)
    rows: Tensor  # (P,)
    codes: Tensor  # (P,)
    evidence: Tensor  # (P, T)

    def to(self, device: torch.device) -> Self:
        """The same on another device."""
        return self._each(lambda part: part.to(device, non_blocking=True))

    def pin_memory(self) -> Self:
        """A copy in pinned memory."""
        return self._each(lambda part: part.pin_memory())

    def _each(self, change: Callable[[Any], Any]) -> Self:
        parts = {part.name: change(getattr(self, part.name)) for part in fields(self)}
        return replace(self, **parts)


def item(one: Example, vocabulary: WordVocabulary) -> EncodedChart:
    """An example as numbers. A code whose evidence was all cut off is a code without any."""
    evidence = []
    for code, ranges in sorted(one.evidence.items()):
        words = [np.arange(begin, end) for begin, end in ranges]
        if words:
            evidence.append((code, np.unique(np.concatenate(words))))
    return EncodedChart(vocabulary.places(one.text.words), one.codes, tuple(evidence))


def collate(items: Sequence[EncodedChart], labels: int) -> ChartBatch:
    """Items as one batch."""
    lengths = np.array([len(one.words) for one in items])
    longest = int(lengths.max())
    words = np.full((len(items), longest), PADDING, np.int64)
    gold = np.zeros((len(items), labels), np.float32)
    pairs = [(row, *pair) for row, one in enumerate(items) for pair in one.evidence]
    evidence = np.zeros((len(pairs), longest), bool)
    for row, one in enumerate(items):
        words[row, : len(one.words)] = one.words
        gold[row, one.codes] = 1
    for at, (_, _, places) in enumerate(pairs):
        evidence[at, places] = True
    return ChartBatch(
        torch.from_numpy(words),
        torch.from_numpy(np.arange(longest) < lengths[:, None]),
        torch.from_numpy(gold),
        torch.tensor([row for row, _, _ in pairs], dtype=torch.int64),
        torch.tensor([code for _, code, _ in pairs], dtype=torch.int64),
        torch.from_numpy(evidence),
    )
