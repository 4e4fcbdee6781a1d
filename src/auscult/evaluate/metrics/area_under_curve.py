"""The area under the ROC curve, over all pairs of chart and code and as a mean over codes.

Codes that were not ranked for a chart are below all that were; codes that the model does not know
are all unranked, and tied.
"""

from __future__ import annotations

import numpy as np

from auscult.core.metric_definition import MetricDefinition
from auscult.evaluate.metrics.contract import MetricFamily, Need
from auscult.evaluate.outcomes import Bools, Ints, Outcomes
from auscult.statistics.bootstrap import Floats, Statistic

_UNDEFINED = "gold has every code of the label space on every chart, or none on any"
METRICS = (
    MetricDefinition(
        "micro_auc",
        "area under the ROC curve over all pairs of chart and code of the label space",
        "micro-AUC",
        undefined=_UNDEFINED,
    ),
    MetricDefinition(
        "macro_auc",
        "mean of the area under the ROC curve over the codes that some but not all charts have",
        "macro-AUC",
        undefined=_UNDEFINED,
    ),
)


def _statistic(outcomes: Outcomes) -> Statistic:
    """Micro and macro area under the curve.

    The area is the probability that a gold pair is ranked above another pair, a tie counting half.
    The pairs that were not ranked are never listed: their number is enough.
    """
    ranked = ~np.isnan(outcomes.score)
    chart, code, score = outcomes.chart[ranked], outcomes.code[ranked], outcomes.score[ranked]
    gold = outcomes.gold[ranked]
    by_score = np.argsort(score, kind="stable")
    by_code = np.lexsort((score, code))
    everything = np.zeros(len(score), dtype=np.int64)
    micro = _Areas(chart[by_score], everything, score[by_score], gold[by_score])
    macro = _Areas(chart[by_code], code[by_code], score[by_code], gold[by_code])
    gold_chart, gold_code = outcomes.chart[outcomes.gold], outcomes.code[outcomes.gold]
    gold_codes = len(outcomes.codes)
    has_ranked = np.zeros(gold_codes, dtype=bool)
    has_ranked[macro.groups] = True

    def one(weights: Floats) -> tuple[float, float]:
        charts = weights.sum()
        positive = np.bincount(gold_code, weights=weights[gold_chart], minlength=gold_codes)
        pairs = charts * gold_codes
        overall = micro.areas(weights, np.array([positive.sum()]), np.array([pairs]))
        of_codes = np.full(gold_codes, np.nan)
        of_codes[macro.groups] = macro.areas(
            weights, positive[macro.groups], np.full(len(macro.groups), charts)
        )
        # A code that was ranked nowhere is tied everywhere.
        unranked = ~has_ranked & (positive > 0) & (positive < charts)
        of_codes[unranked] = 0.5
        defined = of_codes[~np.isnan(of_codes)]
        return (
            float(overall[0]) if len(overall) else np.nan,
            float(defined.mean()) if len(defined) else np.nan,
        )

    return lambda weights: np.array([one(row) for row in weights])


class _Areas:
    """The area under the curve of each group of pairs, sorted by group and then by score."""

    def __init__(self, chart: Ints, group: Ints, score: Floats, gold: Bools) -> None:
        self._chart, self._gold = chart, gold
        new_group = np.diff(group, prepend=-1) != 0
        new_tie = new_group | (np.diff(score, prepend=np.nan) != 0)
        self._ties = np.flatnonzero(new_tie)
        self._group_of_tie = (np.cumsum(new_group) - 1)[self._ties]
        self._first_tie = np.flatnonzero(new_group[self._ties])
        self.groups = group[new_group]

    def areas(self, weights: Floats, positive: Floats, pairs: Floats) -> Floats:
        """With `positive` and `pairs` the weight of the gold pairs and of all pairs of a group."""
        if not len(self._chart):
            return np.empty(0)
        weight = weights[self._chart]
        yes = np.add.reduceat(weight * self._gold, self._ties)
        no = np.add.reduceat(weight * ~self._gold, self._ties)
        yes_ranked = np.add.reduceat(yes, self._first_tie)
        no_ranked = np.add.reduceat(no, self._first_tie)
        yes_rest = positive - yes_ranked
        negative = pairs - positive
        no_rest = negative - no_ranked
        lower = np.cumsum(no) - no
        lower -= lower[self._first_tie][self._group_of_tie]
        won = yes * (lower + no / 2 + no_rest[self._group_of_tie])
        total = np.add.reduceat(won, self._first_tie) + yes_rest * no_rest / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = total / (positive * negative)
        return found


FAMILY = MetricFamily(METRICS, _statistic, Need.FULL_RANKING)
