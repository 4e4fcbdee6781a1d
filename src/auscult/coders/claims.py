"""What training says of how good a coder is, where training charts judge it: no more than is known.

Everything that was chosen by the charts that are counted makes the counts too good, on few charts
by much. So each chart is counted by what the charts of the other folds chose.
"""

from __future__ import annotations

from collections.abc import Sequence

from auscult.coders.contract import CountsItself, Reading, Scorer
from auscult.coders.decoding import count_across
from auscult.coders.examples import Example
from auscult.coders.folds import fold_places, forget_unknown
from auscult.core.counts import Counts
from auscult.core.words import counted

LEAST_PATIENTS = 20
"""Patients without whose charts training says nothing of how good a coder is.

On samples of the 2007 challenge and of the synthetic hospital, the micro-F1 out of fold was up to
0.65 too high with 5 charts, 0.48 with 8 and 0.26 with 12; with 20 it was at most 0.18 too high.
"""


def why_undefined(train: Sequence[Example], held_out: Sequence[Example]) -> str | None:
    """Why nothing can be said of how good a coder is that training charts judge, if so."""
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


def honest_counts(
    fitted: Scorer, readings: Sequence[Reading], made: Sequence[Example], labels: int, seed: int
) -> Counts:
    """The counts on training charts, each at a threshold tuned on those of the other folds.

    At the threshold that is best for the very charts that are counted, they would be too good.
    """
    if isinstance(fitted, CountsItself) and fitted.held_out_counts is not None:
        return fitted.held_out_counts
    known = list(readings)
    forget_unknown(known, made, labels, fitted.folds, seed)
    return count_across(known, made, fold_places(made, fitted.folds, seed))
