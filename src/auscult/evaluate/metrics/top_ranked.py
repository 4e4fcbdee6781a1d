"""Ranking metrics: precision at k, R-precision and mean average precision."""

from __future__ import annotations

import numpy as np

from auscult.core.metric_definition import MetricDefinition
from auscult.evaluate.metrics.contract import MetricFamily, Need
from auscult.evaluate.outcomes import Outcomes
from auscult.statistics.bootstrap import Floats, Statistic, mean_statistic

CUTS = (5, 8, 15)
_UNDEFINED = "no chart has gold codes"
_BOOK = 'Manning et al. 2008, "Introduction to Information Retrieval", section 8.4'
METRICS = (
    *(
        MetricDefinition(
            f"precision_at_{k}",
            f"mean over charts of the share of gold codes among the {k} highest-ranked "
            "codes; ties in the order of the codes",
            f"P@{k}",
            _BOOK,
            _UNDEFINED,
        )
        for k in CUTS
    ),
    MetricDefinition(
        "r_precision",
        "mean over charts with R > 0 gold codes of the share of gold codes among the R "
        "highest-ranked",
        "R-precision",
        _BOOK,
        _UNDEFINED,
    ),
    MetricDefinition(
        "mean_average_precision",
        "mean over charts with gold codes of: the sum of the precisions at the rank of each gold "
        "code, divided by the number of gold codes",
        "MAP",
        _BOOK,
        _UNDEFINED,
    ),
)


def top_of_charts(outcomes: Outcomes) -> Floats:
    """The metrics of every chart; the last two are NaN without gold codes."""
    ranked = ~np.isnan(outcomes.score)
    order = np.lexsort((outcomes.code[ranked], -outcomes.score[ranked], outcomes.chart[ranked]))
    chart = outcomes.chart[ranked][order]
    hit = outcomes.gold[ranked][order].astype(np.float64)
    first = np.searchsorted(chart, np.arange(outcomes.charts))
    rank = np.arange(len(chart)) - first[chart] + 1
    hits = np.cumsum(hit)
    before = np.concatenate([[0.0], hits])[first]
    hits_so_far = hits - before[chart]
    relevant = outcomes.by_chart(outcomes.gold).astype(np.float64)
    relevant[relevant == 0] = np.nan

    def total(values: Floats) -> Floats:
        summed = np.bincount(chart, weights=values, minlength=outcomes.charts)
        return summed.astype(np.float64)

    return np.stack(
        [
            *(total(hit * (rank <= k)) / k for k in CUTS),
            total(hit * (rank <= np.nan_to_num(relevant)[chart])) / relevant,
            total(hit * hits_so_far / rank) / relevant,
        ],
        axis=1,
    )


def _statistic(outcomes: Outcomes) -> Statistic:
    return mean_statistic(top_of_charts(outcomes))


FAMILY = MetricFamily(METRICS, _statistic, Need.RANKING)
