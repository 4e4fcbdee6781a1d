"""The expected quality of a model that was tuned on its training charts, if it can be estimated.

Counts on charts that were used for any selection are too optimistic, on few charts by far. So each
chart is counted with what was selected on the other folds.
"""

from __future__ import annotations

from collections.abc import Sequence

from auscult.core.counts import Counts
from auscult.core.plurals import counted
from auscult.models.chart_scoring import ChartScorer, CountsItself, tuning_folds
from auscult.models.decoding import count_across
from auscult.models.examples import Example
from auscult.models.folds import fold_places, zero_unknown_codes
from auscult.models.kept_readings import Reading

LEAST_PATIENTS = 20
"""Minimum number of patients for an estimate of the model's quality.

On samples of the 2007 challenge and of the synthetic hospital, the micro-F1 out of fold was up to
0.65 too high with 5 charts, 0.48 with 8 and 0.26 with 12; with 20 it was at most 0.18 too high.
"""


def why_undefined(train: Sequence[Example], held_out: Sequence[Example]) -> str | None:
    """Why the quality cannot be estimated on the training charts; None if it can."""
    made = held_out or train
    patients = len({one.text.patient for one in made if len(one.codes) or one.unseen})
    if patients >= LEAST_PATIENTS:
        return None
    what = "held-out chart" if held_out else "training chart"
    more = "Tune on a dev split of" if held_out else "Train on"
    return (
        f"No F1 is reported: {counted(len(made), what)} of {counted(patients, 'patient')} with "
        f"codes are too few to estimate it. {more} at least {LEAST_PATIENTS} patients, or evaluate "
        "on charts that were not used for training: auscult evaluate codes"
    )


def cross_validated_counts(
    fitted: ChartScorer,
    readings: Sequence[Reading],
    made: Sequence[Example],
    labels: int,
    seed: int,
) -> Counts:
    """The counts on training charts, each at a threshold tuned on the other folds.

    At the threshold that is best for the counted charts themselves, they would be too optimistic.
    """
    if isinstance(fitted, CountsItself) and fitted.held_out_counts is not None:
        return fitted.held_out_counts
    folds = tuning_folds(fitted, len(made))
    known = zero_unknown_codes(readings, made, labels, folds, seed)
    return count_across(known, made, fold_places(made, folds, seed))
