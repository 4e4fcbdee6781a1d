"""Bootstrap intervals, with charts as clusters.

The spans and codes of one chart are correlated, so whole charts are drawn, with replacement;
drawing spans independently would give intervals that are far too narrow. Every metric is written as
a statistic of weights: how often each chart was drawn. With all weights 1 it is the metric itself.

Efron and Tibshirani 1993, "An Introduction to the Bootstrap" (percentile interval).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from auscult.core import OptionError

Floats = NDArray[np.float64]
Statistic = Callable[[Floats], Floats]
"""From weights (draws × charts) to values (draws × metrics), NaN where one is undefined."""

_CELLS_AT_ONCE = 1_000_000
LEVEL = 0.95


def point(statistic: Statistic, charts: int) -> Floats:
    """The values on the original charts, each counted once."""
    values: Floats = statistic(np.ones((1, charts)))[0]
    return values


def mean_statistic(values: Floats) -> Statistic:
    """The weighted mean of each column over the charts where it is defined."""
    defined = ~np.isnan(values)
    filled = np.where(defined, values, 0.0)

    def statistic(weights: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = (weights @ filled) / (weights @ defined.astype(np.float64))
        return found

    return statistic


def draws(charts: int, times: int, seed: int) -> Iterator[Floats]:
    """Weights of `times` resamples of the charts, in batches; the same seed gives the same."""
    dice = np.random.default_rng(seed)
    for size in _batches(times, charts):
        drawn = dice.integers(charts, size=(size, charts))
        shifted = drawn + charts * np.arange(size)[:, None]
        counted = np.bincount(shifted.ravel(), minlength=size * charts)
        yield counted.reshape(size, charts).astype(np.float64)


def intervals(
    statistic: Statistic,
    charts: int,
    *,
    times: int = 1000,
    seed: int = 0,
    centered: Sequence[int] = (),
) -> Floats:
    """The 95% percentile interval of each metric, as (metrics × 2); NaN where there is none.

    The draws of the columns in `centered` are first shifted so that their mean is the metric's
    value, within 0 and 1. That is for metrics that are biased downward in resamples, such as means
    over rare codes.

    >>> lengths = np.array([3.0, 5.0, 4.0, 6.0, 2.0, 4.0])
    >>> def mean(weights):
    ...     return (weights @ lengths / weights.sum(axis=1))[:, None]
    >>> [[round(float(edge), 1) for edge in found] for found in intervals(mean, 6)]
    [[3.0, 5.0]]
    """
    if times < 0:
        raise OptionError(f"The number of resamples must be 0 or more; got {times}.")
    if charts < 2 or times == 0:
        return np.full((len(point(statistic, charts)), 2), np.nan)
    found = np.concatenate([statistic(weights) for weights in draws(charts, times, seed)])
    if len(centered):
        chosen = list(centered)
        low = np.ascontiguousarray(found[:, chosen])
        found[:, chosen] = np.clip(moved(low, point(statistic, charts)[chosen]), 0, 1)
    return percentiles(found)


def moved(found: Floats, center: Floats) -> Floats:
    """The draws shifted so that their means are `center`."""
    defined = ~np.isnan(found).all(axis=0)
    shifted = found.copy()
    shifted[:, defined] += center[defined] - np.nanmean(found[:, defined], axis=0)
    return shifted


def percentiles(found: Floats) -> Floats:
    """The 95% percentile interval of each column."""
    edges = np.full((found.shape[1], 2), np.nan)
    for at, column in enumerate(found.T):
        defined = column[~np.isnan(column)]
        if len(defined):
            edges[at] = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return edges


def swaps(charts: int, times: int, seed: int) -> Iterator[Floats]:
    """For each chart 1 or 0, by a fair coin: whether it is swapped between two models."""
    dice = np.random.default_rng(seed)
    for size in _batches(times, charts):
        yield dice.integers(2, size=(size, charts)).astype(np.float64)


def _batches(times: int, charts: int) -> Iterator[int]:
    size = max(1, _CELLS_AT_ONCE // max(charts, 1))
    for start in range(0, times, size):
        yield min(size, times - start)
