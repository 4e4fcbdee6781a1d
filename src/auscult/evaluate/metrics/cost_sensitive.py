"""The cost-sensitive score, a mean over charts; `statistics/cost_sensitive.py` has its formula."""

from __future__ import annotations

import numpy as np

from auscult.core.metric_definition import MetricDefinition
from auscult.evaluate.metrics.contract import MetricFamily
from auscult.evaluate.outcomes import Outcomes
from auscult.statistics.bootstrap import Floats, Statistic, mean_statistic
from auscult.statistics.cost_sensitive import PAPER, Costs, cost_sensitive

NAME = "cost_sensitive"


def definition(costs: Costs = PAPER) -> MetricDefinition:
    """The metric with these costs."""
    return MetricDefinition(
        NAME,
        costs.definition,
        "cost-sensitive score",
        'Pestian et al. 2007, "A shared task involving multi-label classification of clinical free '
        'text"',
        "there are no charts",
    )


def cost_by_chart(outcomes: Outcomes, costs: Costs = PAPER) -> Floats:
    """One score for each chart; a chart without a code on either side scores 1."""
    tp, fp, fn = outcomes.counts_by_chart().astype(np.float64).T
    return cost_sensitive(tp, fp, fn, costs)


def family(costs: Costs = PAPER) -> MetricFamily:
    """The metric with these costs, ready to compute."""

    def statistic(outcomes: Outcomes) -> Statistic:
        return mean_statistic(cost_by_chart(outcomes, costs)[:, None])

    return MetricFamily((definition(costs),), statistic)
