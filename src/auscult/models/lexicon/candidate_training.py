"""Training of the candidate model on the candidates of charts and excerpts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from auscult.models.lexicon.candidate_model import CandidateModel
from auscult.models.lexicon.candidates import Candidates
from auscult.models.lexicon.contexts import Contexts
from auscult.models.lexicon.gold_evidence import GoldEvidence
from auscult.models.lexicon.ragged import Ints

_CANDIDATES = 100_000
"""Maximum number of training candidates of whole charts; a sample is drawn when there are more."""
_IN_EXCERPTS = 50_000
"""The same for excerpts."""


@dataclass(frozen=True, eq=False)
class _Labeled:
    """Some candidates: their features, the words around them, and what is gold."""

    lots: npt.NDArray[np.float64]
    numbers: npt.NDArray[np.float32]
    around: sparse.csr_matrix
    is_evidence: npt.NDArray[np.bool_]
    applies: npt.NDArray[np.bool_]
    folds: Ints

    def __len__(self) -> int:
        return len(self.lots)

    def only(self, chosen: Ints | npt.NDArray[np.bool_]) -> _Labeled:
        return _Labeled(
            self.lots[chosen], self.numbers[chosen], self.around[chosen],
            self.is_evidence[chosen], self.applies[chosen], self.folds[chosen],
        )  # fmt: skip

    @classmethod
    def together(cls, parts: Sequence[_Labeled]) -> _Labeled:
        return cls(
            np.concatenate([one.lots for one in parts]),
            np.concatenate([one.numbers for one in parts]),
            sparse.vstack([one.around for one in parts], "csr"),
            np.concatenate([one.is_evidence for one in parts]),
            np.concatenate([one.applies for one in parts]),
            np.concatenate([one.folds for one in parts]),
        )


class CandidateSample:
    """A uniform sample of the candidates of a stream of charts.

    Each candidate draws a lot, and those with the lowest are kept, so that the features of all the
    others need not even be computed.
    """

    def __init__(self, most: int, seed: int) -> None:
        self._most = most
        self._dice = np.random.default_rng(seed)
        self._bar = 1.0
        self._parts: list[_Labeled] = []

    @classmethod
    def of_charts(cls, seed: int) -> CandidateSample:
        """Of whole charts."""
        return cls(_CANDIDATES, seed)

    @classmethod
    def of_excerpts(cls, seed: int) -> CandidateSample:
        """Of excerpts."""
        return cls(_IN_EXCERPTS, seed)

    def add(
        self, candidates: Candidates, golds: Sequence[GoldEvidence], contexts: Contexts
    ) -> None:
        """Add the candidates of a batch of charts, or a sample of them."""
        lots = self._dice.random(len(candidates))
        chosen = np.flatnonzero(lots < self._bar)
        if len(chosen):
            self._parts.append(_labeled(candidates, golds, contexts, chosen, lots[chosen]))
        if sum(map(len, self._parts)) > 1.5 * self._most:
            self._settle()

    def all(self) -> _Labeled | None:
        """The sample, in the order of the charts."""
        if not self._parts:
            return None
        self._settle()
        return self._parts[0]

    def _settle(self) -> None:
        held = _Labeled.together(self._parts)
        if len(held) > self._most:
            self._bar = float(np.partition(held.lots, self._most)[self._most])
            held = held.only(held.lots < self._bar)
        self._parts = [held]


def fit_candidate_model(samples: Iterable[CandidateSample], seed: int) -> CandidateModel:
    """Train on samples of candidates."""
    held = [part for sample in samples if (part := sample.all()) is not None]
    if not held:
        return CandidateModel.constant(np.zeros(0, bool), np.zeros(0, bool))
    every = _Labeled.together(held)
    return CandidateModel.fit(
        every.numbers, every.around, every.is_evidence, every.applies, every.folds, seed
    )


def _labeled(
    candidates: Candidates, golds: Sequence[GoldEvidence], contexts: Contexts, chosen: Ints,
    lots: npt.NDArray[np.float64],
) -> _Labeled:  # fmt: skip
    batch, ranges = candidates.batch, candidates.ranges[chosen]
    begins, ends, codes = (
        candidates.begins[ranges],
        candidates.ends[ranges],
        candidates.codes[chosen],
    )
    charts = batch.chart_of[begins]
    first = batch.starts[charts]
    is_evidence = np.zeros(len(chosen), bool)
    applies = np.zeros(len(chosen), bool)
    places = zip(
        charts.tolist(), (begins - first).tolist(), (ends - first).tolist(), codes.tolist(),
        strict=True,
    )  # fmt: skip
    for at, (chart, begin, end, code) in enumerate(places):
        gold = golds[chart]
        if code in gold.codes:
            applies[at], is_evidence[at] = True, gold.matches(begin, end, code)
    return _Labeled(
        lots, candidates.numbers(chosen), contexts.matrix(batch, begins, ends), is_evidence,
        applies, np.array([gold.fold for gold in golds], np.int64)[charts],
    )  # fmt: skip
