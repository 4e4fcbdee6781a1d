"""The mean of repeated training runs, and its interval.

Runs of one network with different seeds, evaluated on the same charts, differ by chance. Their
mean is known as well as their number and spread allow: Student's interval, mean ± t · s / √n. It is
about the seeds. What other charts would change, only a bootstrap over charts shows.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from auscult.statistics.bootstrap import LEVEL


def mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """The 95% interval of the mean of several runs; None for one run, which has no spread.

    >>> low, high = mean_interval([42.8, 43.0, 43.2])
    >>> print(f"{low:.2f} {high:.2f}")  # 43 ± 4.303 · 0.2 / √3
    42.50 43.50
    """
    if len(values) < 2:
        return None
    from scipy.stats import t as t_distribution

    mean, deviation = statistics.mean(values), statistics.stdev(values)
    factor = float(t_distribution.ppf((1 + LEVEL) / 2, len(values) - 1))
    half = factor * deviation / math.sqrt(len(values))
    return mean - half, mean + half
