"""The probability of sets of codes, from the probability of each code.

A set is as likely as its codes are independently, more so if training charts have the whole set,
and less if two of its codes never occurred together. Unseen sets are not excluded. The few weights
are fitted on out-of-fold probabilities. A report always has a code, so the empty set is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import logit, logsumexp

from auscult.core.threads import one_blas_thread

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
Combination = tuple[int, ...]
_CONSIDERED = 7
"""Codes of a chart, the likeliest, of which sets are made."""
_LARGEST = 4
_CLIP = 1e-3
_SHRINK = 0.01
"""Strength of the penalty that keeps the weights near their initial values."""
_START = (1.0, 0.0, 0.0, 0.0, 0.0)
"""The weights with which every code stands for itself."""


@dataclass(frozen=True)
class CodeSetPrior:
    """How often training charts have each set and each pair of codes, and the weights."""

    counts: Mapping[Combination, int]
    pairs: frozenset[Combination]
    weights: tuple[float, ...]

    @classmethod
    def count(cls, gold: Iterable[Combination], weights: Sequence[float] = _START) -> CodeSetPrior:
        """Count the codes of charts, each chart's in order."""
        return cls.of_counts(Counter(gold), weights)

    @classmethod
    def of_counts(cls, counts: Mapping[Combination, int], weights: Sequence[float]) -> CodeSetPrior:
        """From how often there is each set."""
        pairs = frozenset(pair for codes in counts for pair in combinations(codes, 2))
        return cls(counts, pairs, tuple(weights))

    def table(self, sets: Sequence[Combination], codes: Places, probability: Floats) -> Floats:
        """(sets, 5) the features of each set."""
        odds = logit(np.clip(probability, _CLIP, 1 - _CLIP)).tolist()
        of_code = dict(zip(codes.tolist(), odds, strict=True))
        return np.array(
            [
                [
                    sum(of_code[code] for code in one),
                    np.log1p(self.counts.get(one, 0)),
                    float(len(one) > 1),
                    float(len(one) > 2),
                    float(sum(pair not in self.pairs for pair in combinations(one, 2))),
                ]
                for one in sets
            ]
        )

    def marginals(self, codes: Places, probability: Floats) -> Floats:
        """The probability of each code, given that the codes of a chart form a set."""
        sets = list(subsets(codes, probability))
        score = self.table(sets, codes, probability) @ np.array(self.weights)
        chance = np.exp(score - logsumexp(score))
        place = {code: at for at, code in enumerate(codes.tolist())}
        found = np.zeros(len(codes))
        for one, share in zip(sets, chance.tolist(), strict=True):
            for code in one:
                found[place[code]] += share
        return found


def subsets(codes: Places, probability: Floats) -> Iterable[Combination]:
    """The sets that the likeliest codes can form, each in the order of the codes."""
    best = np.sort(codes[np.argsort(-probability, kind="stable")[:_CONSIDERED]]).tolist()
    for size in range(1, min(_LARGEST, len(best)) + 1):
        yield from combinations(best, size)


@one_blas_thread()
def fit_weights(cases: Sequence[tuple[Floats, int]]) -> tuple[float, ...]:
    """The weights under which the right set of each case is likeliest.

    A case is the table of a chart's sets and the place of the right one.
    """
    if not cases:
        return _START
    start = np.array(_START)
    table = np.concatenate([one for one, _ in cases])  # (all sets, 5)
    begins = np.cumsum([0, *(len(one) for one, _ in cases[:-1])])
    lengths = np.diff([*begins, len(table)])
    right = table[begins + np.array([at for _, at in cases])]

    def loss(weights: Floats) -> tuple[float, Floats]:
        score = table @ weights
        score -= np.repeat(np.maximum.reduceat(score, begins), lengths)
        chance = np.exp(score)
        chance /= np.repeat(np.add.reduceat(chance, begins), lengths)
        of_right = chance[begins + np.array([at for _, at in cases])]
        missed = weights - start
        value = -float(np.log(of_right).mean()) + _SHRINK * float((missed**2).sum())
        slope = (table.T @ chance - right.sum(axis=0)) / len(cases) + 2 * _SHRINK * missed
        return value, slope

    fitted = minimize(loss, start, method="L-BFGS-B", jac=True)
    return tuple(fitted.x.tolist())
