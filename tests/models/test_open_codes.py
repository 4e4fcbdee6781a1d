"""The threshold of codes outside the label space: a quarter of the F1, and more where in doubt."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.core import Code, Note
from auscult.core.counts import Counts
from auscult.models.chart_scoring import ScoredChart
from auscult.models.chart_text import read_chart
from auscult.models.examples import Example
from auscult.models.label_space import LabelSpace
from auscult.models.open_codes import OpenCode, OpenThreshold, tune_open

_KNOWN, _NEW = Code("ICD-10-CM", "I10"), Code("ICD-10-CM", "B02.9")
_LABELS = LabelSpace((_KNOWN,), (5,))
_REACHED = Counts(6, 4, 4)
"""An F1 of 0.6."""


def tuned(right: int, wrong: int, score: float = 0.5) -> OpenThreshold:
    """On charts in each of which one new code was found, right in some and wrong in others."""
    readings, made = [], []
    for at in range(right + wrong):
        text = read_chart(f"c{at}", [Note(f"n{at}", f"c{at}", text="Shingles")])
        found = (OpenCode(_NEW, score, ()),)
        readings.append(ScoredChart(text, np.zeros(1, np.float32), beyond=found))
        new = frozenset((_NEW,)) if at < right else frozenset[Code]()
        made.append(Example(text, np.array([0], np.int64), unseen=new))
    return tune_open(readings, made, _LABELS, _REACHED)


def test_as_right_as_their_probabilities_say_it_is_a_quarter_of_the_f1() -> None:
    assert tuned(60, 40) == OpenThreshold(0.15, Counts(60, 40, 0))


@pytest.mark.parametrize(("right", "wrong"), [(0, 0), (0, 1), (0, 50)])
def test_where_none_was_right_none_is_given(right: int, wrong: int) -> None:
    found = tuned(right, wrong)
    assert not found.is_passed
    assert found.threshold > 1


def test_the_same_share_of_fewer_charts_gives_a_higher_threshold() -> None:
    few, many = tuned(1, 3), tuned(100, 300)
    assert few.threshold > many.threshold > 0.15
    # Half as many were right as half of all: the threshold is twice as high.
    assert many.threshold == pytest.approx(0.3, abs=0.01)
    # One is right of two that were expected and three that are imagined.
    assert few.threshold == pytest.approx(0.15 * 5, abs=1e-4)


def test_a_code_that_another_fold_knows_may_be_right_too() -> None:
    text = read_chart("c", [Note("n", "c", text="Hypertension")])
    reading = ScoredChart(text, np.zeros(1, np.float32), beyond=(OpenCode(_KNOWN, 0.9, ()),))
    one = Example(text, np.array([0], np.int64))
    assert tune_open([reading] * 20, [one] * 20, _LABELS, _REACHED).counts == Counts(20, 0, 0)
