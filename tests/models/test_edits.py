"""What a model makes of a chart with a few words changed is what it makes of the changed chart."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auscult.core import Annotation, Code, Note
from auscult.corpus.corpus import Corpus
from auscult.models.chart_text import read_chart
from auscult.models.fitting import fit
from auscult.models.model import Model
from auscult.models.perturbation import Perturbation, is_unread, reread, segments, spliced

CODE = Code("outcome", "readmitted")
WORDS = ("sepsis", "stable", "12", "heart", "failure", "Plan", "on", "x7", "mg", "_a", "dialysis")
LINES = ("Plan: {}\n", "{} and {}\n", "HPI - {}, {} on\n", "  Assessment: {} {}; {}\n", "{}. {}\n")


@cache
def ward() -> Corpus:
    dice = np.random.default_rng(0)
    notes, annotations = [], []
    for number in range(90):
        ill = number % 3 == 0
        text = "".join(_line(dice, ill) for _ in range(6))
        names = (f"n{number}", f"c{number}", f"p{number}")
        notes.append(Note(*names, "Discharge summary", text=text, read_by=("gold",)))
        if ill:
            annotations.append(Annotation("gold", CODE, f"c{number}", f"n{number}"))
    return Corpus.of(notes, annotations)


def _line(dice: np.random.Generator, ill: bool) -> str:
    line = LINES[dice.integers(len(LINES))]
    likely = ("sepsis", "heart", "failure", "dialysis") if ill else ("stable", "on", "mg")
    while "{}" in line:
        words = likely if dice.random() < 0.5 else WORDS
        line = line.replace("{}", str(dice.choice(words)), 1)
    return line


@cache
def model_of(kind: str, **settings: object) -> Model:
    with pytest.warns(UserWarning, match="evidence"):
        return fit(ward(), kind, {"min_df": 1, **settings})


texts = st.lists(st.sampled_from([*WORDS, "\n", ": ", ", ", " ", "Plan:", "\nHPI:", "é", "-"])).map(
    " ".join
)
replacements = st.sampled_from(
    ["", "sepsis", "heart failure", "Plan:", "a\nPlan: b", "99", "q.d.", "/", "dialysis", ":"]
)


@st.composite
def changed(draw: st.DrawFn) -> tuple[list[Note], Perturbation]:
    notes = [
        Note("a", "c", category="Nursing", text=draw(texts)),
        Note("b", "c", category="Discharge summary", text=draw(texts)),
    ]
    edits = []
    for note in notes:
        length = len(note.text or "")
        marks = sorted(draw(st.lists(st.integers(0, length), max_size=6)))
        pairs = zip(marks[::2], marks[1::2], strict=False)
        edits += [(note.note_id, begin, end) for begin, end in pairs if begin < end]
    return notes, Perturbation.swap(edits, draw(replacements))


@pytest.mark.parametrize(
    ("kind", "longest"),
    [("linear", None), ("linear", 9), ("tfidf-xgboost", None), ("tfidf-xgboost", 9)],
)
@given(case=changed())
@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow])
def test_the_quick_way_gives_what_reading_again_gives(
    kind: str, longest: int | None, case: tuple[list[Note], Perturbation]
) -> None:
    model = model_of(kind, max_length=longest)
    notes, perturbation = case
    quick = model.scores_of_edits(notes, [perturbation], CODE)
    whole = [score for [score] in model.scores([(notes, [CODE])])]
    again = [score for [score] in model.scores([(perturbation.applied(notes), [CODE])])]
    assert quick == [*whole, *again]


def test_the_quick_way_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a word nor a heading has the chart read again; only a cut that moves does."""
    model = model_of("linear")
    note = Note("n", "c", text="Plan: stable\nheart failure on mg\n")
    word, heading = (Perturbation.swap([("n", *at)], "dialysis") for at in ((6, 12), (0, 4)))
    expected = model.scores_of_edits([note], [word, heading], CODE)

    def fail(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr("auscult.models.linear.edited_scores.reread", fail)
    assert model.scores_of_edits([note], [word, heading], CODE) == expected
    longer = Perturbation.swap([("n", 6, 12)], "heart failure")
    long = Note("n", "c", text="Plan: stable\n" + "heart failure on mg\n" * 9)
    with pytest.raises(AssertionError, match="read again"):
        model_of("linear", max_length=9).scores_of_edits([long], [longer], CODE)


@given(case=changed())
@settings(max_examples=100)
def test_a_spliced_chart_is_the_chart_read_again(case: tuple[list[Note], Perturbation]) -> None:
    notes, perturbation = case
    config = model_of("linear").chart_config
    text = read_chart("c", notes)
    found = segments(text, perturbation, config)
    if found is not None:
        made, again = spliced(text, perturbation, found), reread(text, perturbation, config)
        assert made.words == again.words
        for one, other in ((made.note_of, again.note_of), (made.begins, again.begins)):
            assert one.tolist() == other.tolist()
        assert made.ends.tolist() == again.ends.tolist()
        assert made.notes == again.notes


def test_what_is_past_the_cut_changes_nothing() -> None:
    model = model_of("tfidf-xgboost", max_length=9)
    note = Note("n", "c", text="stable " * 9 + "sepsis dialysis")
    text = read_chart("c", [note], longest=9)
    past = Perturbation.swap([("n", 64, 70)], "heart")
    assert is_unread(text, past)
    whole, after = model.scores_of_edits([note], [past], CODE)
    assert whole == after
    assert not is_unread(text, Perturbation.swap([("n", 0, 6)], "heart"))


def test_segments_are_the_words_that_differ() -> None:
    note = Note("n", "c", text="Heart-failure, BP 120/80.")
    model = model_of("linear")
    text = read_chart("c", [note])
    found = segments(text, Perturbation.swap([("n", 6, 13)], "rate 7"), model.chart_config)
    assert found is not None
    assert [(one.begin, one.end, one.words) for one in found] == [(1, 2, ("rate", "7"))]
    # Half of a word is the whole word.
    found = segments(text, Perturbation.swap([("n", 0, 2)], "He"), model.chart_config)
    assert found is not None
    assert [(one.begin, one.end, one.words) for one in found] == [(0, 1, ("heart",))]
