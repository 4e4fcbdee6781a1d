"""From the value that a regression gives a code to the odds that the chart has it.

A line, the same for all codes, from values to log-odds: Platt scaling (Platt 1999), fitted to the
values that charts have when they are left out of the regression.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit

_BINS, _LOW, _HIGH = 3_000, -1.0, 2.0
"""Values are counted in bins, which bounds memory whatever the number of charts and codes."""
_SLOPE, _OFFSET = 12.0, -6.0
"""Where nothing is known: a value of one half is as likely as not."""
_SPREAD = 6.0
"""Standard deviation of the normal prior around these."""

Floats = npt.NDArray[np.float64]


class ScoreScale:
    """Counts of the values of right and of wrong codes, and the line that fits them best."""

    def __init__(self) -> None:
        self._counts = np.zeros((2, _BINS))

    def count(self, values: Floats, is_right: npt.NDArray[np.bool_], weights: Floats) -> None:
        """Add the values of some charts (rows), which stand for so many, for some codes."""
        place = ((values - _LOW) * (_BINS / (_HIGH - _LOW))).astype(np.int64)
        place = np.clip(place, 0, _BINS - 1) + _BINS * is_right
        many = np.broadcast_to(weights[:, None], place.shape)
        counted = np.bincount(place.ravel(), many.ravel(), 2 * _BINS)
        self._counts += counted.reshape(2, _BINS)

    def line(self) -> tuple[float, float]:
        """Slope and offset of the log-odds; the slope is above 0."""
        center = (np.arange(_BINS) + 0.5) * ((_HIGH - _LOW) / _BINS) + _LOW
        right, every = self._counts[1], self._counts.sum(axis=0)

        def loss(numbers: Floats) -> tuple[float, Floats]:
            odds = numbers[0] * center + numbers[1]
            off = (numbers - [_SLOPE, _OFFSET]) / _SPREAD
            value = every @ np.logaddexp(0, odds) - right @ odds + off @ off / 2
            each = every * expit(odds) - right
            return float(value), np.array([each @ center, each.sum()]) + off / _SPREAD

        found = minimize(
            loss, np.array([_SLOPE, _OFFSET]), jac=True, method="L-BFGS-B",
            bounds=[(1.0, None), (None, None)],
        )  # fmt: skip
        return float(found.x[0]), float(found.x[1])
