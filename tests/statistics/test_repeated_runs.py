"""The interval of a mean over seeds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from auscult.core import Metric
from auscult.statistics.repeated_runs import interval_of_runs, mean_interval


def test_it_is_students_interval_and_covers_the_mean_as_often_as_it_says() -> None:
    runs = [40.5, 43.0, 44.1]
    library = stats.ttest_1samp(runs, 0).confidence_interval(0.95)
    assert mean_interval(runs) == pytest.approx((library.low, library.high))
    dice = np.random.default_rng(0)
    drawn = dice.normal(10, 2, (2_000, 3))
    found = [mean_interval(row.tolist()) for row in drawn]
    covered = np.mean([edges is not None and edges[0] <= 10 <= edges[1] for edges in found])
    assert covered == pytest.approx(0.95, abs=0.02)


def test_one_run_says_nothing_about_another() -> None:
    assert mean_interval([43.0]) is None
    assert mean_interval([43.0, 43.0]) is None  # nor do two equal ones


def test_seeds_and_charts_vary_independently() -> None:
    """The score of a run is that of its seed plus that of the charts, which all runs share."""
    dice = np.random.default_rng(1)
    covered = 0
    for _ in range(2_000):
        charts = dice.normal(0, 3)
        values = 50 + charts + dice.normal(0, 2, 5)
        half = 1.96 * 3
        runs = [Metric("f1", "", value, (value - half, value + half)) for value in values.tolist()]
        found = interval_of_runs(runs)
        assert found is not None
        covered += found[0] <= 50 <= found[1]
    assert covered / 2_000 == pytest.approx(0.96, abs=0.02)
    assert interval_of_runs([Metric("f1", "", 43.0, (40.0, 47.0))]) == (40.0, 47.0)
    assert interval_of_runs([Metric("f1", "", 43.0)]) is None
