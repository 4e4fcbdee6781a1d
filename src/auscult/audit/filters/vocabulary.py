"""Word counts of charts, and of the charts that contain some other word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import sparse

from auscult.audit.words_of_interest import words_in
from auscult.corpus.corpus import Chart


@dataclass(frozen=True, eq=False)
class ChartWordCounts:
    """A table of charts and words, with how often each word comes in each chart."""

    words: tuple[str, ...] = field(repr=False)
    table: sparse.csr_matrix = field(repr=False)

    @classmethod
    def of(cls, charts: Iterable[Chart]) -> ChartWordCounts:
        """Count the words of charts: runs of letters, in lower case."""
        place: dict[str, int] = {}
        indices: list[int] = []
        counts: list[int] = []
        pointer = [0]
        for chart in charts:
            here = Counter(word for note in chart.notes for word in words_in(note.text or ""))
            indices += [place.setdefault(word, len(place)) for word in here]
            counts += here.values()
            pointer.append(len(indices))
        shape = (len(pointer) - 1, len(place))
        return cls(tuple(place), sparse.csr_matrix((counts, indices, pointer), shape=shape))

    def most_frequent(self, charts: Collection[int], number: int, but: str) -> list[str]:
        """The words that come most often in some charts; of equals the first in the alphabet."""
        totals = np.asarray(self.table[sorted(charts)].sum(axis=0)).ravel()
        kept = np.argpartition(-totals, min(number, len(totals) - 1))[: number + 1]
        kept = np.flatnonzero(totals >= totals[kept].min())
        order = sorted(kept.tolist(), key=lambda at: (-totals[at], self.words[at]))
        return [self.words[at] for at in order if totals[at] and self.words[at] != but][:number]

    def common(self, least: int) -> list[str]:
        """The words that are in at least so many charts, sorted."""
        return sorted(
            word
            for word, charts in zip(self.words, self._charts_with.tolist(), strict=True)
            if charts >= least
        )

    def total(self) -> dict[str, int]:
        """How often each word comes in all."""
        sums = np.asarray(self.table.sum(axis=0)).ravel().tolist()
        return dict(zip(self.words, sums, strict=True))

    @cached_property
    def _charts_with(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.bincount(self.table.indices, minlength=len(self.words))
