"""Calibration: whether scores are probabilities.

Naeini, Cooper & Hauskrecht 2015, "Obtaining well calibrated probabilities using Bayesian binning".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """A bin of scores: their mean, the share that is right, and their number."""

    score: float
    right: float
    size: int


def bins(
    scores: npt.NDArray[np.floating], right: npt.NDArray[np.bool_], count: int = BINS
) -> list[Bin]:
    """The non-empty bins of equal width, lowest scores first.

    >>> bins(np.array([0.2, 0.4, 0.8, 1.0]), np.array([0, 1, 1, 1], bool), 2)
    [Bin(score=0.3, right=0.5, size=2), Bin(score=0.9, right=1.0, size=2)]
    """
    places = np.minimum((scores * count).astype(int), count - 1)
    found = []
    for at in np.unique(places):
        part = places == at
        mean = round(float(scores[part].mean()), 6)
        found.append(Bin(mean, float(right[part].mean()), int(part.sum())))
    return found


def calibration_error(
    scores: npt.NDArray[np.floating], right: npt.NDArray[np.bool_], least: float = 0.0
) -> float | None:
    """The expected calibration error: Σ n·|mean score − share right| / Σ n over ten bins.

    Only scores of at least `least` count: where nearly all of many codes do not apply, their scores
    near 0 would hide all others. None where no score is left.

    >>> three_of_four = np.array([1, 1, 1, 0], bool)
    >>> calibration_error(np.array([0.75, 0.75, 0.75, 0.75]), three_of_four)
    0.0
    >>> calibration_error(np.array([0.5, 0.5, 0.5, 0.5]), three_of_four)
    0.25
    """
    kept = scores >= least
    held = bins(scores[kept], right[kept])
    size = sum(one.size for one in held)
    return sum(one.size * abs(one.score - one.right) for one in held) / size if size else None
