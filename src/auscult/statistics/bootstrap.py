"""Intervals clustered by chart.

The spans and codes of one chart rise and fall together, so whole charts are drawn, with
replacement; drawing spans on their own would give intervals that are far too narrow. Every measure
is written as a statistic of weights: how often each chart was drawn. With all weights 1 it is the
measure itself.

Efron and Tibshirani 1993, "An Introduction to the Bootstrap" (percentile interval).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from auscult.core import OptionError

Floats = NDArray[np.float64]
Statistic = Callable[[Floats], Floats]
"""From weights (draws × charts) to values (draws × measures), NaN where one is undefined."""

_CELLS_AT_ONCE = 1_000_000
LEVEL = 0.95


def point(statistic: Statistic, charts: int) -> Floats:
    """The values on the charts as they are, each counted once."""
    values: Floats = statistic(np.ones((1, charts)))[0]
    return values


def draws(charts: int, times: int, seed: int) -> Iterator[Floats]:
    """Weights of `times` resamples of the charts, some at a time, the same for the same seed."""
    dice = np.random.default_rng(seed)
    for size in _batches(times, charts):
        drawn = dice.integers(charts, size=(size, charts))
        shifted = drawn + charts * np.arange(size)[:, None]
        counted = np.bincount(shifted.ravel(), minlength=size * charts)
        yield counted.reshape(size, charts).astype(np.float64)


def intervals(
    statistic: Statistic, charts: int, *, times: int = 1000, seed: int = 0, centred: bool = False
) -> Floats:
    """The 95% percentile interval of each measure, as (measures × 2); NaN where there is none.

    With `centred` the draws are first moved so that their mean is the measure's value, within 0
    and 1. That is for measures that a resample lowers by itself, as means over rare codes are.

    >>> lengths = np.array([3.0, 5.0, 4.0, 6.0, 2.0, 4.0])
    >>> def mean(weights):
    ...     return (weights @ lengths / weights.sum(axis=1))[:, None]
    >>> [[round(float(edge), 1) for edge in found] for found in intervals(mean, 6)]
    [[3.0, 5.0]]
    """
    if times < 0:
        raise OptionError(f"The number of resamples is 0 or more; got {times}.")
    if charts < 2 or times == 0:
        return np.full((len(point(statistic, charts)), 2), np.nan)
    found = np.concatenate([statistic(weights) for weights in draws(charts, times, seed)])
    if centred:
        found = np.clip(moved(found, point(statistic, charts)), 0, 1)
    return percentiles(found)


def moved(found: Floats, centre: Floats) -> Floats:
    """The draws with their means at `centre`."""
    defined = ~np.isnan(found).all(axis=0)
    shifted = found.copy()
    shifted[:, defined] += centre[defined] - np.nanmean(found[:, defined], axis=0)
    return shifted


def percentiles(found: Floats) -> Floats:
    """The interval of each column that leaves half of what is outside on either side."""
    edges = np.full((found.shape[1], 2), np.nan)
    for at, column in enumerate(found.T):
        defined = column[~np.isnan(column)]
        if len(defined):
            edges[at] = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return edges


def swaps(charts: int, times: int, seed: int) -> Iterator[Floats]:
    """For each chart 1 or 0, by a fair coin: whether it is swapped between two coders."""
    dice = np.random.default_rng(seed)
    for size in _batches(times, charts):
        yield dice.integers(2, size=(size, charts)).astype(np.float64)


def _batches(times: int, charts: int) -> Iterator[int]:
    size = max(1, _CELLS_AT_ONCE // max(charts, 1))
    for start in range(0, times, size):
        yield min(size, times - start)
