"""Sparse scores of many charts, for tuning, calibrating and combining models.

A scorer gives a chart a score for every code. With thousands of charts and tens of thousands of
codes, all scores would not fit in memory, and nearly all are close to 0. So only the scores above a
minimum are kept, and their mean stands in for each of the others.
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
"""Minimum scores. With many codes, scores below the first are dropped; in charts with very many
scores above it, some of those below the second too. An ensemble member predicts the codes above the
second."""
TRACE = 1e-6
"""Lower scores are not probabilities and only rank codes: an ensemble gives them to codes that no
member predicts."""
_FEW = 4_096
"""Maximum number of codes for which every score is kept."""
_BEST, _MOST = 100, 1_000
"""Minimum number of scores kept per chart, and the rank up to which scores between the two minimum
scores are kept."""

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SparseScores:
    """The scores of a chart: those of some codes, and one number for the others.

    `values[k]` is the score of code `codes[k]`; codes are places in the label space, in order. Of
    the rest, `below_floor` codes have more than a trace of a score, for each of which `rest` stands
    in, their mean; the highest of them is `ceiling`. All others count as 0. `share` of the rest are
    codes that may have a score at all (`only`).

    The number of codes that pass a threshold is exact for thresholds above `ceiling`.

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
        """The scores of a chart. The scores of the codes `also` are always kept."""
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
        """The same, but with `rest` for codes that were kept despite a low score."""
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
        """The highest known score below this one; 0 if there is none."""
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
        """The scores transformed by a monotonic function that maps 0 to 0."""
        two = change(np.array([self.rest, self.ceiling], np.float32)).tolist()
        return replace(self, values=change(self.values), rest=two[0], ceiling=two[1])

    def dense(self) -> Scores:
        """A score for every code."""
        found: Scores = np.full(self.size, self.rest, self.values.dtype)
        found[self.codes] = self.values
        return found


@dataclass(frozen=True, slots=True, eq=False)
class KeptReading:
    """The output of a scorer for a chart, with sparse scores."""

    text: ChartText
    scores: SparseScores
    evidence: Mapping[int, EvidenceWeights] = field(default_factory=dict)
    beyond: tuple[OpenCode, ...] = ()

    @classmethod
    def of(cls, reading: ScoredChart | KeptReading, gold: Places) -> KeptReading:
        """The sparse version of a reading, which keeps the scores of the gold codes."""
        if isinstance(reading, KeptReading):
            return reading
        scores = SparseScores.of(reading.scores, gold)
        return cls(reading.text, scores, reading.evidence, reading.beyond)


Reading = ScoredChart | KeptReading


def kept_readings(readings: Iterable[Reading], made: Sequence[Example]) -> Iterator[KeptReading]:
    """The sparse versions of readings, one by one."""
    for reading, one in zip(readings, made, strict=True):
        yield KeptReading.of(reading, one.codes)
