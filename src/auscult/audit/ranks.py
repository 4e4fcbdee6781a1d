"""Ranks and their intervals."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import stats

from auscult.audit.trial_table import Floats
from auscult.statistics import bootstrap


def ranks(scores: Floats) -> Floats:
    """1 for the largest score; equal scores share the average of their ranks, NaN has none.

    >>> ranks(np.array([0.1, 0.4, 0.4, np.nan, 0.0]))
    array([3. , 1.5, 1.5, nan, 4. ])
    """
    found = np.full(scores.shape, np.nan)
    there = ~np.isnan(scores)
    found[there] = stats.rankdata(-scores[there], method="average")
    return found


def resampled(note_level: Floats, times: int, seed: int) -> Iterator[Floats]:
    """The overall scores of the words in resamples of the charts, (words,) for each.

    All words get the same charts, so that changes common to all words change no rank.
    """
    there = (~np.isnan(note_level)).astype(np.float64)
    filled = np.nan_to_num(note_level)
    for weights in bootstrap.draws(len(note_level), times, seed):
        counts = weights @ there
        with np.errstate(invalid="ignore", divide="ignore"):
            yield from np.where(counts > 0, (weights @ filled) / counts, np.nan)


def intervals(draws: Floats) -> list[tuple[float, float] | None]:
    """The 95% interval of each column of draws; None where there is none."""
    return [
        None if np.isnan(edges).any() else (float(edges[0]), float(edges[1]))
        for edges in bootstrap.percentiles(draws)
    ]
