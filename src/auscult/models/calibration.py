"""Beta calibration of scores: of the codes with a score of 0.7, seven in ten should be right.

Three parameters fit sigmoid and inverse-sigmoid distortions and keep the order of the scores. A
prior pulls them toward the identity, so that few charts do little harm.

Kull, Silva Filho & Flach 2017, "Beyond sigmoids: How to obtain well-calibrated probabilities from
binary classifiers with beta calibration".
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from auscult.core.threads import one_blas_thread
from auscult.models.chart_scoring import Scores
from auscult.models.kept_readings import TRACE, SparseScores

_LEAST = 1e-9
"""The highest score that is used: at 1 the odds would be infinite."""
_SMALLEST = 1e-38
"""The smallest positive 32-bit float, so that small scores keep their order."""
_BINS = 4_000
"""Number of bins of log-odds; binning bounds memory whatever the number of charts and codes."""
_PRIOR = 1.0
"""Precision (1 / variance) of the normal prior of each parameter around the identity."""
_SLOPE = 0.01
"""Lower bound of both slopes, so that the curve never becomes flat."""

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
    @one_blas_thread()
    def fit(
        cls, scored: Iterable[tuple[Scores | SparseScores, npt.NDArray[np.int64]]]
    ) -> Calibration:
        """Fit to the scores of charts and the indices of their right codes.

        The parameters are the maximum a posteriori estimate under the prior.
        """
        # scipy takes longer to import than all else, and a model that only predicts needs less.
        from scipy.optimize import minimize
        from scipy.special import expit

        right, all_of = np.zeros(_BINS), np.zeros(_BINS)
        for given, codes in scored:
            scores = SparseScores.of(given)
            all_of += _counted(scores.values)
            all_of += scores.others * _counted(np.array([scores.rest], np.float32))
            right += _counted(scores.at(codes))
        held = np.flatnonzero(all_of)
        low, high = _logs(expit(_centers()[held]))
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
        """Calibrated probabilities of the scores."""
        from scipy.special import expit

        low, high = _logs(scores.astype(np.float64))
        odds = self.low * low - self.high * high + self.shift
        return np.where(scores > 0, expit(odds), 0).astype(np.float32)


def _logs(scores: Floats) -> tuple[Floats, Floats]:
    """ln s and ln(1 − s)."""
    return np.log(np.maximum(scores, _SMALLEST)), np.log(np.maximum(1 - scores, _LEAST))


def _edge() -> float:
    from scipy.special import logit

    return float(-logit(TRACE))


def _centers() -> Floats:
    return (np.arange(_BINS) + 0.5) * 2 * _edge() / _BINS - _edge()


def _counted(scores: Scores) -> Floats:
    """The number of scores that are more than a trace in each bin of log-odds: there are so many
    traces that they would distort the fit."""
    from scipy.special import logit

    some = np.minimum(scores[scores >= TRACE].astype(np.float64), 1 - _LEAST)
    places = ((logit(some) + _edge()) * _BINS / (2 * _edge())).astype(np.int64)
    return np.bincount(np.clip(places, 0, _BINS - 1), minlength=_BINS).astype(np.float64)
