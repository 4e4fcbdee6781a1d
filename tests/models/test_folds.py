"""What is known of a training chart out of its fold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from auscult.core import Code, Note
from auscult.models.architecture import TrainingData
from auscult.models.chart_scoring import ScoredChart
from auscult.models.chart_text import read_chart
from auscult.models.examples import Example
from auscult.models.folds import fold_places, zero_unknown_codes
from auscult.models.kept_fits import KeptFits
from auscult.models.label_space import LabelSpace
from auscult.models.linear import Linear
from auscult.models.linear.scorer import LinearConfiguration
from auscult.models.tuning import unseen_readings

CODES = [Code("ICD-10-CM", f"A{number:02}.0") for number in range(3)]


def reports(charts: int, patients: int | None = None) -> list[Example]:
    """Charts of three codes: one of all, one of every other, and one that the first has alone."""
    made = []
    for number in range(charts):
        note = Note("n", f"c{number}", f"p{number % (patients or charts)}", text="some words")
        codes = [0] + [1] * (number % 2) + [2] * (number == 0)
        made.append(Example(read_chart(note.chart_id, [note]), np.array(codes, np.int64)))
    return made


def sure(made: Iterable[Example], scores: Sequence[float]) -> list[ScoredChart]:
    return [ScoredChart(one.text, np.array(scores, np.float32)) for one in made]


def test_a_code_of_one_chart_alone_has_no_score_out_of_fold() -> None:
    made = reports(10)
    readings = sure(made, [0.5, 0.25, 0.125])
    known = zero_unknown_codes(readings, made, 3, folds=5, seed=0)
    [(_, with_first)] = [one for one in fold_places(made, 5, 0) if 0 in one[1]]
    for at, reading in enumerate(known):
        assert reading.scores.dense().tolist() == [0.5, 0.25, 0.0 if at in with_first else 0.125]
        assert reading.scores.values.dtype == np.float32


def test_readings_out_of_fold_know_no_code_of_the_chart_alone() -> None:
    made = reports(10)
    labels = LabelSpace(tuple(CODES), (10, 5, 1))
    config = LinearConfiguration()
    fitted = Linear.fit(TrainingData(made, [], labels), config, seed=0)
    _, readings = unseen_readings(
        "linear", fitted, made, [], labels, config, folds=10, seed=0, kept=KeptFits()
    )
    scores = [reading.scores.dense() for reading in readings]
    assert scores[0][0] > 0 == scores[0][2]
    assert all(each.min() > 0 for each in scores[1:])
    _, judged = unseen_readings(
        "linear", fitted, made, made, labels, config, folds=10, seed=0, kept=KeptFits()
    )
    assert judged[0].scores.dense()[2] > 0  # of charts beside those learned from all is as it is
