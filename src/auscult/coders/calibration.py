"""Scores made probabilities: of the codes with a score of 0.7, seven in ten are to be right.

Beta calibration, of three numbers, which bends an S as well as its mirror image and leaves the
order of scores alone. A prior draws them towards leaving scores as they are, so that few charts do
little harm.

Kull, Silva Filho & Flach 2017, "Beyond sigmoids: How to obtain well-calibrated probabilities from
binary classifiers with beta calibration".
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat
from scipy.optimize import minimize
from scipy.special import expit, logit

from auscult.coders.contract import Scores

_LEAST = 1e-9
"""As near to 1 as scores are told apart; 1 itself has no odds."""
_TRACE = 1e-6
"""What is below only ranks, and teaches nothing: an ensemble leaves such traces of the codes that
no member speaks of. They are no probabilities, and so many that they would bend the rest."""
_SMALLEST = 1e-38
"""Of 32 bits, so that traces keep their order."""
_BINS = 4_000
"""Scores are counted by their log-odds, so that memory does not grow with charts and codes."""
_PRIOR = 1.0
"""One over the variance of the normal prior of each number, around what changes nothing."""
_SLOPE = 0.01
"""Of either end at least, so that none becomes flat."""

Floats = npt.NDArray[np.float64]


class Calibration(BaseModel):
    """p = 1 / (1 + exp(−(low · ln s − high · ln(1 − s) + shift))) for a score s; 0 stays 0.

    >>> Calibration(low=2, high=2, shift=0).apply(np.array([0, 0.25, 0.5, 0.75], np.float32))
    array([0. , 0.1, 0.5, 0.9], dtype=float32)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    low: FiniteFloat = Field(1.0, ge=_SLOPE)
    high: FiniteFloat = Field(1.0, ge=_SLOPE)
    shift: FiniteFloat = 0.0

    @classmethod
    def fit(cls, scored: Iterable[tuple[Scores, npt.NDArray[np.int64]]]) -> Calibration:
        """Learn it from the scores of charts and the places of the codes that are right.

        The numbers are the likeliest ones, given the prior.
        """
        right, all_of = np.zeros(_BINS), np.zeros(_BINS)
        for scores, codes in scored:
            all_of += _counted(scores)
            right += _counted(scores[codes])
        held = np.flatnonzero(all_of)
        low, high = _logs(expit(_centres()[held]))
        features = np.stack([low, -high, np.ones(len(held))])
        positive, every = right[held], all_of[held]

        def loss(numbers: Floats) -> tuple[float, Floats]:
            odds = numbers @ features
            off = numbers - [1, 1, 0]
            value = every @ np.logaddexp(0, odds) - positive @ odds + _PRIOR * (off @ off) / 2
            return float(value), features @ (every * expit(odds) - positive) + _PRIOR * off

        bounds = [(_SLOPE, None), (_SLOPE, None), (None, None)]
        found = minimize(
            loss, np.array([1.0, 1.0, 0.0]), jac=True, method="L-BFGS-B", bounds=bounds
        )
        return cls(low=found.x[0], high=found.x[1], shift=found.x[2])

    def apply(self, scores: Scores) -> Scores:
        """The scores as probabilities."""
        low, high = _logs(scores.astype(np.float64))
        odds = self.low * low - self.high * high + self.shift
        return np.where(scores > 0, expit(odds), 0).astype(np.float32)


def _logs(scores: Floats) -> tuple[Floats, Floats]:
    """ln s and ln(1 − s)."""
    return np.log(np.maximum(scores, _SMALLEST)), np.log(np.maximum(1 - scores, _LEAST))


def _edge() -> float:
    return float(-logit(_TRACE))


def _centres() -> Floats:
    return (np.arange(_BINS) + 0.5) * 2 * _edge() / _BINS - _edge()


def _counted(scores: Scores) -> Floats:
    """How many scores that are more than traces are in each bin of log-odds."""
    some = np.minimum(scores[scores >= _TRACE].astype(np.float64), 1 - _LEAST)
    places = ((logit(some) + _edge()) * _BINS / (2 * _edge())).astype(np.int64)
    return np.bincount(np.clip(places, 0, _BINS - 1), minlength=_BINS).astype(np.float64)
