"""The mean of repeated training runs, and its interval.

Runs of one network with different seeds, evaluated on the same charts, differ by chance. How
precisely their mean is known depends on their number and spread: Student's interval, mean ± t · s /
√n. That interval covers the choice of seeds only. A bootstrap over charts shows what other charts
would change; `interval_of_runs` covers both.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from auscult.core import Metric
from auscult.statistics.bootstrap import LEVEL


def mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """The 95% interval of the mean of several runs; None for one run, or several that are equal.

    Without a spread there is nothing to tell how another run would come out.

    >>> low, high = mean_interval([42.8, 43.0, 43.2])
    >>> print(f"{low:.2f} {high:.2f}")  # 43 ± 4.303 · 0.2 / √3
    42.50 43.50
    """
    if len(set(values)) < 2:
        return None
    from scipy.stats import t as t_distribution

    mean, deviation = statistics.mean(values), statistics.stdev(values)
    factor = float(t_distribution.ppf((1 + LEVEL) / 2, len(values) - 1))
    half = factor * deviation / math.sqrt(len(values))
    return mean - half, mean + half


def interval_of_runs(runs: Sequence[Metric]) -> tuple[float, float] | None:
    """The 95% interval of the mean of several runs on the same charts, over seeds and charts.

    The two sources of chance are independent, so the squares of the half-widths add up: Student's
    over the seeds, and the mean of the runs' own over the charts. None where a run has none.

    >>> runs = [Metric("f1", "", value, (value - 3, value + 4)) for value in (42.8, 43.0, 43.2)]
    >>> low, high = interval_of_runs(runs)
    >>> print(f"{low:.2f} {high:.2f}")  # 43 - sqrt(3² + 0.497²) and 43 + sqrt(4² + 0.497²)
    39.96 47.03
    """
    known = [(run.value, run.interval) for run in runs if run.value is not None and run.interval]
    if len(known) < len(runs) or not known:
        return None
    mean = statistics.mean(value for value, _ in known)
    below = statistics.mean(value - low for value, (low, _) in known)
    above = statistics.mean(high - value for value, (_, high) in known)
    seeds = mean_interval([value for value, _ in known])
    half = 0.0 if seeds is None else seeds[1] - mean
    return mean - math.hypot(below, half), mean + math.hypot(above, half)
