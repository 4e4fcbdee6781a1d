"""Micro-averaged precision, recall and F1: all pairs of chart and code count equally."""

from __future__ import annotations

from auscult.core.metric_definition import MetricDefinition
from auscult.evaluate.matching import DEFINITIONS, RATIOS, UNDEFINED, ratio_statistic
from auscult.evaluate.metrics.contract import MetricFamily
from auscult.evaluate.outcomes import Outcomes
from auscult.statistics.bootstrap import Statistic

_LABELS = {"precision": "micro-precision", "recall": "micro-recall", "f1": "micro-F1"}
METRICS = tuple(
    MetricDefinition(
        f"micro_{ratio}",
        f"{DEFINITIONS[ratio]} over all pairs of chart and code",
        _LABELS[ratio],
        undefined=UNDEFINED[ratio],
    )
    for ratio in RATIOS
)
PRECISION, RECALL, F1 = METRICS


def _statistic(outcomes: Outcomes) -> Statistic:
    return ratio_statistic({"micro": outcomes.counts_by_chart()})


FAMILY = MetricFamily(METRICS, _statistic)
