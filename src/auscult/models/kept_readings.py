"""What is kept of the scores of many charts, to tune, calibrate and combine models on.

A scorer gives a chart a score for every code. Of thousands of charts and tens of thousands of
codes, all of them together are more than memory holds, and nearly all are next to nothing. So the
scores above a floor are kept, and one number stands in for all below it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from auscult.models.chart_scoring import EvidenceWeights, ScoredChart, Scores
from auscult.models.chart_text import ChartText
from auscult.models.examples import Example
from auscult.models.open_codes import OpenCode

FLOOR, PREDICTED = 1e-3, 0.01
"""Scores below the first are not kept where there are many codes, nor are those below the second of
a chart with very many higher ones. In an ensemble, a member predicts the codes above the second."""
TRACE = 1e-6
"""Lower scores only rank codes: an ensemble leaves such small ones for the codes that no member
predicts. They are no probabilities."""
_FEW = 4_096
"""Number of codes up to which every score is kept."""
_BEST, _MOST = 100, 1_000
"""Number of codes of every chart that are kept, however low their scores are; and up to which those
between the floors are."""

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SparseScores:
    """The scores of a chart: those of some codes, and one for the others.

    `values[k]` is the score of code `codes[k]`; codes are places in the label space, in order. Of
    the rest, `below_floor` codes have more than a trace of a score, for each of which `rest` stands
    in, their mean; the highest of them is `ceiling`. All others count as 0. `share` of the rest are
    codes that may have a score at all (`only`).

    Counting the codes that pass a threshold is exact for one above `ceiling`.

    >>> some = SparseScores.of(np.array([0.5, 0, 0.25], np.float32))
    >>> some.codes.tolist(), some.passing(0.3), some.dense().tolist()
    ([0, 2], 1, [0.5, 0.0, 0.25])
    """

    size: int
    """The number of all codes."""
    codes: npt.NDArray[np.int32]
    values: Scores
    below_floor: int = 0
    rest: float = 0.0
    ceiling: float = 0.0
    share: float = 1.0

    @property
    def others(self) -> int:
        """For how many codes `rest` stands in."""
        return round(self.below_floor * self.share)

    @classmethod
    def of(cls, scores: Scores | SparseScores, also: Places | None = None) -> SparseScores:
        """The scores of a chart; those of the codes `also` are kept, whatever they are."""
        if isinstance(scores, SparseScores):
            return scores
        is_kept = is_above = scores > 0
        if len(scores) > _FEW:
            most, best = np.partition(scores, (-_MOST, -_BEST))[[-_MOST, -_BEST]].tolist()
            floor = min(max(FLOOR, most), PREDICTED, best)
            is_kept = is_above & (scores >= floor)
            if also is not None:
                is_kept[also] = True
        left = scores[(scores >= TRACE) & ~is_kept]
        codes = np.flatnonzero(is_kept).astype(np.int32)
        values = scores[codes]
        if not len(left):
            return cls(len(scores), codes, values)
        mean, ceiling = float(left.mean(dtype=np.float64)), float(left.max())
        return cls(len(scores), codes, values, len(left), min(mean, ceiling), ceiling)

    def __len__(self) -> int:
        return self.size

    def at(self, codes: npt.NDArray[np.integer]) -> Scores:
        """The scores of some codes."""
        if not len(self.codes):
            return np.full(len(codes), self.rest, self.values.dtype)
        near = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        found: Scores = np.where(
            self.codes[near] == codes, self.values[near], self.values.dtype.type(self.rest)
        )
        return found

    def evenly(self, codes: npt.NDArray[np.integer]) -> Scores:
        """The same, but of a code that was kept in spite of its score what stands in for others."""
        found = self.at(codes)
        if not self.others:
            return found
        rest = self.values.dtype.type(self.rest)
        return np.where(found <= self.ceiling, rest, found)

    def passing(self, threshold: float) -> int:
        """How many codes have at least this score."""
        return int((self.values >= threshold).sum()) + self.others * (self.rest >= threshold)

    def top(self) -> float:
        """The highest score."""
        return max(float(self.values.max(initial=0)), self.ceiling)

    def below(self, score: float) -> float:
        """The highest score that is lower than this one, as far as it is known; 0 without one."""
        highest = float(self.values[self.values < score].max(initial=0))
        return max(highest, next((one for one in (self.ceiling, self.rest) if one < score), 0.0))

    def only(self, is_known: npt.NDArray[np.bool_]) -> SparseScores:
        """With a score of 0 for all but some codes; the same when done again."""
        values = np.where(is_known[self.codes], self.values, self.values.dtype.type(0))
        share = 1.0
        if self.below_floor:  # which codes these were is no longer known: as many as of the rest
            rest = np.ones(self.size, bool)
            rest[self.codes] = False
            share = float((rest & is_known).sum() / max(1, int(rest.sum())))
        return replace(self, values=values, share=share)

    def mapped(self, change: Callable[[Scores], Scores]) -> SparseScores:
        """With every score changed by a function that keeps their order, and 0 as it is."""
        two = change(np.array([self.rest, self.ceiling], np.float32)).tolist()
        return replace(self, values=change(self.values), rest=two[0], ceiling=two[1])

    def dense(self) -> Scores:
        """A score for every code."""
        found: Scores = np.full(self.size, self.rest, self.values.dtype)
        found[self.codes] = self.values
        return found


@dataclass(frozen=True, slots=True, eq=False)
class KeptReading:
    """What is kept of the output of a scorer for a chart."""

    text: ChartText
    scores: SparseScores
    evidence: Mapping[int, EvidenceWeights] = field(default_factory=dict)
    beyond: tuple[OpenCode, ...] = ()

    @classmethod
    def of(cls, reading: ScoredChart | KeptReading, gold: Places) -> KeptReading:
        """What is kept of a reading, with the scores of the gold codes."""
        if isinstance(reading, KeptReading):
            return reading
        scores = SparseScores.of(reading.scores, gold)
        return cls(reading.text, scores, reading.evidence, reading.beyond)


Reading = ScoredChart | KeptReading


def kept_readings(readings: Iterable[Reading], made: Sequence[Example]) -> Iterator[KeptReading]:
    """What is kept of the readings of charts, as they come."""
    for reading, one in zip(readings, made, strict=True):
        yield KeptReading.of(reading, one.codes)
