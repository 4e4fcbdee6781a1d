"""The results of all trials, and means over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TrialTable:
    """A row for each trial: its word, chart and filter as places, and the score before and after.

    The change is |f(x) − f(g(x))| (the paper's section 2.3.2).
    """

    words: tuple[str, ...] = field(repr=False)
    charts: tuple[str, ...] = field(repr=False)
    filters: tuple[str, ...]
    word: Ints = field(repr=False)
    chart: Ints = field(repr=False)
    filter: Ints = field(repr=False)
    before: Floats = field(repr=False)
    after: Floats = field(repr=False)
    replacement: Sequence[str] = field(repr=False)

    def __len__(self) -> int:
        return len(self.word)

    @property
    def change(self) -> Floats:
        """By how much each trial moved the score."""
        return np.abs(self.after - self.before)

    def note_level(self, by: str | None = None) -> Floats:
        """The mean change over the replacements, (charts, words); NaN where a chart lacks the word.

        With `by`, over the replacements of that filter alone.
        """
        part = slice(None) if by is None else self.filter == self.filters.index(by)
        shape = (len(self.charts), len(self.words))
        cell = self.chart[part] * shape[1] + self.word[part]
        size = shape[0] * shape[1]
        sums = np.bincount(cell, self.change[part], size)
        counts = np.bincount(cell, minlength=size)
        means = np.full(size, np.nan)
        means[counts > 0] = sums[counts > 0] / counts[counts > 0]
        return means.reshape(shape)


def overall(note_level: Floats) -> Floats:
    """The mean over the charts that have the word, for each word; NaN where none has it."""
    there = ~np.isnan(note_level)
    counts = there.sum(axis=0)
    sums = np.where(there, note_level, 0.0).sum(axis=0)
    found = np.full(note_level.shape[1], np.nan)
    found[counts > 0] = sums[counts > 0] / counts[counts > 0]
    return found
