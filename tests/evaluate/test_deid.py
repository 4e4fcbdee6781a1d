"""Metrics of de-identification, against counts made by hand."""

from __future__ import annotations

import pytest

from auscult.core import Annotation, Code, CorpusError, Note, Span
from auscult.core.counts import Counts
from auscult.corpus import Corpus
from auscult.evaluate.deid import DeidResult, evaluate_deid
from auscult.evaluate.sides import pair

pytestmark = pytest.mark.filterwarnings("ignore:.*charts have no predictions")

TEXTS = {"n1": "Grace Bell, RN, of Dover, 3/14/2149.", "n2": "No secrets.", "n3": "Call Ann."}
Mark = tuple[str, int, int, str]


def said(who: str, *marks: Mark) -> Corpus:
    notes = [
        Note(note_id, f"c{note_id}", text=text, read_by=(who,)) for note_id, text in TEXTS.items()
    ]
    annotations = [
        Annotation(who, Code("PHI", kind), f"c{note_id}", note_id, (Span(begin, end),))
        for note_id, begin, end, kind in marks
    ]
    return Corpus.of(notes, annotations)


GOLD: tuple[Mark, ...] = (
    ("n1", 0, 5, "NAME"),
    ("n1", 6, 10, "NAME"),
    ("n1", 19, 24, "LOCATION"),
    ("n1", 26, 35, "DATE"),
    ("n3", 5, 8, "NAME"),
)


def result(*marks: Mark) -> DeidResult:
    return evaluate_deid(pair(said("truth", *GOLD), said("deid", *marks)), times=50)


def test_all_that_is_there_and_nothing_else() -> None:
    found = result(*GOLD)
    assert found.any_kind.counts == Counts(tp=7, fp=0, fn=0)  # a date in figures is three words
    assert found.by_kind["DATE"].counts == Counts(tp=3, fp=0, fn=0)
    assert found.leak_rate.value == 0
    assert found.notes == 3


def test_one_long_finding_covers_two_names() -> None:
    found = result(("n1", 0, 10, "NAME"), *GOLD[2:])
    assert found.by_kind["NAME"].counts == Counts(tp=3, fp=0, fn=0)


def test_the_wrong_kind_is_missed_and_wrong_but_hidden() -> None:
    found = result(*GOLD[:2], ("n1", 19, 24, "NAME"), *GOLD[3:])
    assert found.by_kind["LOCATION"].counts == Counts(tp=0, fp=0, fn=1)
    assert found.by_kind["NAME"].counts == Counts(tp=3, fp=1, fn=0)
    assert found.hidden["LOCATION"].value == 1
    assert found.any_kind.counts == Counts(tp=7, fp=0, fn=0)
    assert found.leak_rate.value == 0


def test_half_a_word_leaks() -> None:
    found = result(("n1", 0, 3, "NAME"), *GOLD[1:])
    assert found.by_kind["NAME"].counts == Counts(tp=2, fp=0, fn=1)
    assert found.leak_rate.value == pytest.approx(1 / 3)


def test_what_is_no_secret_counts_against_precision() -> None:
    found = result(*GOLD, ("n2", 0, 2, "NAME"))
    assert found.by_kind["NAME"].counts == Counts(tp=3, fp=1, fn=0)
    assert found.any_kind.precision.value == pytest.approx(7 / 8)


def test_intervals_come_from_charts() -> None:
    found = result(*GOLD[:-1])
    assert found.leak_rate.interval is not None
    low, high = found.leak_rate.interval
    assert low <= 1 / 3 <= high
    assert low == 0
    assert found.leak_rate.n == 3


def test_nothing_found_is_no_precision_and_all_leaks() -> None:
    gold, nothing = said("truth", *GOLD), said("deid")
    found = evaluate_deid(pair(gold, nothing), times=0)
    assert found.any_kind.recall.value == 0
    assert found.any_kind.precision.value is None
    assert found.leak_rate.value == pytest.approx(2 / 3)


def test_notes_without_text_are_an_error() -> None:
    marks = [Annotation("truth", Code("PHI", "NAME"), "c", "n", (Span(0, 2),))]
    gold = Corpus.of([Note("n", "c")], marks)
    with pytest.raises(CorpusError, match="no text"):
        evaluate_deid(pair(gold, Corpus.of([Note("n", "c")])))
