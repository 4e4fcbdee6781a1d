"""Bootstrap: from a statistic of resampled charts to a metric with its interval."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from auscult.agreement.ratings import Floats
from auscult.core import Metric
from auscult.statistics.bootstrap import Statistic, draws, moved, percentiles, point

_CELLS_AT_ONCE = 2_000_000
_KEPT = 200_000_000
"""Resamples up to this many bytes are cached for the next metric."""


def measured(
    name: str,
    definition: str,
    statistic: Statistic,
    charts: int,
    *,
    why: str,
    n: int,
    times: int,
    seed: int,
    least: float = -np.inf,
) -> Metric:
    """The value on the original charts, with the 95% interval from `times` resamples.

    A resample has charts twice, whose equal sets look like agreement by chance, so chance-corrected
    values fall by themselves: the resamples are moved so that their mean is the value, within
    `least` and 1. `why` is the reason to give when the value is undefined.
    """
    value = float(point(statistic, charts)[0]) if charts else float("nan")
    if np.isnan(value):
        return Metric(name, definition, n=n, undefined=why)
    interval = None
    if charts > 1 and times:
        drawn = (
            _kept(charts, times, seed) if charts * times <= _KEPT else draws(charts, times, seed)
        )
        found = np.concatenate([statistic(weights.astype(np.float64)) for weights in drawn])
        if not np.isnan(found).all():
            begin, end = percentiles(np.clip(moved(found, np.array([value])), least, 1))[0]
            interval = (float(begin), float(end))
    return Metric(name, definition, value, interval, n)


@lru_cache(maxsize=1)
def _kept(charts: int, times: int, seed: int) -> list[NDArray[np.uint8]]:
    """How often each chart is drawn; making that takes longer than most measures do."""
    return [weights.astype(np.uint8) for weights in draws(charts, times, seed)]


def forget() -> None:
    """Let go of the resamples that are kept."""
    _kept.cache_clear()


def ratio(top: Floats, bottom: Floats) -> Statistic:
    """The sum of one over the sum of the other, over charts."""

    def statistic(weights: Floats) -> Floats:
        return divided(weights @ top, weights @ bottom)[:, None]

    return statistic


def divided(top: Floats, bottom: Floats) -> Floats:
    """A quotient that is NaN where there is nothing to divide by."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(bottom == 0, np.nan, top / bottom)


def in_steps(statistic: Statistic, width: int) -> Statistic:
    """The statistic, given few enough resamples at once that `width` numbers of each fit."""
    step = max(1, _CELLS_AT_ONCE // max(width, 1))

    def stepwise(weights: Floats) -> Floats:
        parts = range(0, len(weights), step)
        return np.concatenate([statistic(weights[at : at + step]) for at in parts])

    return stepwise
