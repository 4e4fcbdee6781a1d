"""Macro-averaged precision, recall and F1: all codes count equally.

Two different numbers are called macro-F1 in this field, and each is taken over all codes or over
the gold codes only. Each has a name of its own here: compare only numbers of
the same name.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from auscult.core.metric_definition import MetricDefinition
from auscult.evaluate.matching import ratios
from auscult.evaluate.metrics.contract import MetricFamily
from auscult.evaluate.outcomes import Bools, Outcomes
from auscult.statistics.bootstrap import Floats, Statistic

_CAML = 'Mullenbach et al. 2018, "Explainable Prediction of Medical Codes from Clinical Text"'
_AMONG = {
    "all_codes": "all codes of the label space, 0 where the denominator is 0",
    "gold_codes": "codes on at least one chart in gold, 0 where none was predicted",
}
# Name, definition, label and reference; the columns of the statistic are in this order.
_AVERAGES = (
    ("macro_precision", "mean of the codes' precisions", "macro-precision", ""),
    ("macro_recall", "mean of the codes' recalls", "macro-recall", ""),
    ("macro_f1_as_mean_of_code_f1", "mean of the codes' F1", "macro-F1", ""),
    (
        "macro_f1_from_macro_precision_and_recall",
        "harmonic mean of macro-precision and macro-recall (CAML's definition)",
        "macro-F1 of macro-P and macro-R",
        _CAML,
    ),
)
METRICS = tuple(
    MetricDefinition(
        f"{name}_over_{which}",
        f"{definition}, over {among}",
        label,
        reference,
        "there are no codes to average over",
    )
    for which, among in _AMONG.items()
    for name, definition, label, reference in _AVERAGES
)
F1_OVER_GOLD_CODES, F1_OF_AVERAGES_OVER_GOLD_CODES = METRICS[-2:]  # those over gold codes are last
_CELLS_AT_ONCE = 1_000_000


def _statistic(outcomes: Outcomes) -> Statistic:
    """The metrics, from the counts of every code.

    A code that no drawn chart has to do with, on either side, is left out of the means of that
    resample. Counting it as 0 would put the whole interval below a perfect model's 1. With several
    models after each other, what counts as drawn is drawn for all of them.
    """
    tables = [
        _by_code(outcomes, kind)
        for kind in (
            outcomes.gold & outcomes.predicted,
            ~outcomes.gold & outcomes.predicted,
            outcomes.gold & ~outcomes.predicted,
        )
    ]
    touched_by_any = np.asarray(sum(tables).sum(axis=1)) > 0
    models = outcomes.models
    step = max(1, _CELLS_AT_ONCE // max(len(outcomes.codes), 1))

    def some(weights: Floats) -> Floats:
        sums = np.stack([(table @ weights.T).T for table in tables], axis=-1)  # (draws, codes, 3)
        per_code = np.nan_to_num(ratios(sums))
        present = (sums[..., 0] + sums[..., 2]) > 0
        # What one model's charts are drawn for is drawn for all.
        drawn = np.tile(weights.reshape(len(weights), models, -1).sum(axis=1), models)
        touched = (sum(tables) @ drawn.T).T > 0
        columns = []
        for number, chosen in (
            ((touched | ~touched_by_any).sum(axis=1), touched),
            (present.sum(axis=1), present),
        ):
            with np.errstate(invalid="ignore", divide="ignore"):
                means = (per_code * chosen[..., None]).sum(axis=1) / number[:, None]
                p, r, f1 = means.T
                harmonic = np.where(p + r == 0, p + r, 2 * p * r / (p + r))
            columns += [p, r, f1, harmonic]
        return np.stack(columns, axis=1)

    def statistic(weights: Floats) -> Floats:
        parts = range(0, len(weights), step)
        return np.concatenate([some(weights[at : at + step]) for at in parts])

    return statistic


def _by_code(outcomes: Outcomes, which: Bools) -> csr_array:
    """Where the chosen rows are, as codes × charts."""
    rows = (outcomes.code[which], outcomes.chart[which])
    ones = np.ones(int(which.sum()))
    return csr_array((ones, rows), shape=(len(outcomes.codes), outcomes.charts))


FAMILY = MetricFamily(METRICS, _statistic, is_mean_over_codes=True)
