"""The cost-sensitive score of every chart; its formula is in `statistics/cost_sensitive.py`."""

from __future__ import annotations

import numpy as np

from auscult.evaluate.outcomes import Outcomes
from auscult.statistics.bootstrap import Floats
from auscult.statistics.cost_sensitive import PAPER, Costs, cost_sensitive


def cost_by_chart(found: Outcomes, costs: Costs = PAPER) -> Floats:
    """One score for each chart; a chart without a code on either side scores 1."""
    tp, fp, fn = found.counts_by_chart().astype(np.float64).T
    return cost_sensitive(tp, fp, fn, costs)
