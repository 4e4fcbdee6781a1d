"""The rank of systems by micro-F1, and where it is when other charts are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.evaluate.matching import ratio_statistic
from auscult.statistics import bootstrap
from auscult.statistics.bootstrap import Floats


@dataclass(frozen=True, slots=True)
class Ranks:
    """The rank of each system, in the order of the tables."""

    now: tuple[int, ...]
    intervals: tuple[tuple[int, int] | None, ...]
    """Of 95% of the resamples; None without any."""


def resampled_ranks(tables: Mapping[str, NDArray[np.int64]], times: int, seed: int) -> Ranks:
    """The rank of each system by micro-F1, and its interval over resamples."""
    if not tables:
        return Ranks((), ())
    charts = len(next(iter(tables.values())))
    statistic = ratio_statistic(tables)

    def ranked(weights: Floats) -> Floats:
        f1 = np.nan_to_num(statistic(weights)[:, 2::3])  # (draws, systems)
        better = f1[:, None, :] > f1[:, :, None] + 1e-12
        ranks: Floats = 1.0 + better.sum(axis=2)
        return ranks

    now = tuple(int(rank) for rank in bootstrap.point(ranked, charts))
    if charts < 2 or times == 0:
        return Ranks(now, (None,) * len(now))
    drawn = np.concatenate([ranked(weights) for weights in bootstrap.draws(charts, times, seed)])
    edges = [np.quantile(column, [0.025, 0.975], method="nearest") for column in drawn.T]
    return Ranks(now, tuple((int(begin), int(end)) for begin, end in edges))
