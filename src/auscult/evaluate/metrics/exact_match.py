"""Exact match ratio: the share of charts whose codes are all right."""

from __future__ import annotations

import numpy as np

from auscult.core.metric_definition import MetricDefinition
from auscult.evaluate.metrics.contract import MetricFamily
from auscult.evaluate.outcomes import Outcomes
from auscult.statistics.bootstrap import Floats, Statistic, mean_statistic

EXACT_MATCH = MetricDefinition(
    "exact_match_ratio",
    "share of charts whose set of codes is exactly gold's",
    "exact match",
    undefined="there are no charts",
)


def _statistic(outcomes: Outcomes) -> Statistic:
    wrong = outcomes.by_chart(outcomes.gold != outcomes.predicted)
    exact: Floats = (wrong == 0).astype(np.float64)[:, None]
    return mean_statistic(exact)


FAMILY = MetricFamily((EXACT_MATCH,), _statistic)
