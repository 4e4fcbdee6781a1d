"""From a corpus to units: what counts as one, who has seen it, and which codes it has."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from auscult.agreement import AgreementUnit, Ratings, SeenCharts, agree
from auscult.agreement.annotation_table import annotations_of
from auscult.agreement.span_marks import marks_of
from auscult.agreement.units import ratings_by
from auscult.core import Annotation, Code, CorpusError, Note, OptionError, Span, Status
from auscult.corpus import Corpus

TEXT = "Fever, no cough. Chest pain (2 days)."
SECRET = "Cinderella"
A, B, C = (Code("ICD-10-CM", value) for value in ("R50.9", "R07.9", "I10"))


def give(
    who: str, code: Code, chart: str, note: str | None = None, *spans: tuple[int, int]
) -> Annotation:
    return Annotation(who, code, chart, note, tuple(Span(b, e) for b, e in spans))


NOTES = [Note("n1", "c1", text=TEXT), Note("n2", "c1", text="Stable."), Note("n3", "c2", text=TEXT)]
GIVEN = [
    give("ann", A, "c1", "n1", (0, 5)),
    give("ann", B, "c1", "n1", (17, 27)),
    give("bob", A, "c1", "n1", (0, 6)),
    give("bob", B, "c1", "n1", (17, 27)),
    give("bob", C, "c1", "n1", (17, 27)),
    give("bob", A, "c2", "n3", (0, 5)),
]


def shown(ratings: Ratings) -> list[list[str | None]]:
    """The sets as letters, sorted, so that the order of units does not matter."""
    names = {A: "A", B: "B", C: "C"}
    members = ratings.members.toarray()
    words = ["".join(sorted(names[ratings.codes[c]] for c in np.flatnonzero(m))) for m in members]
    rows = [[None if at < 0 else words[at] for at in row] for row in ratings.sets]
    return sorted(rows, key=str)


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.of(NOTES, GIVEN)


@pytest.mark.filterwarnings("ignore:.*not read")
def test_units(corpus: Corpus) -> None:
    found = annotations_of(corpus, ["ann", "bob"])
    assert shown(ratings_by(found, AgreementUnit.CHART)) == [["AB", "ABC"], [None, "A"]]
    assert shown(ratings_by(found, AgreementUnit.NOTE)) == [["", ""], ["AB", "ABC"], [None, "A"]]
    assert shown(ratings_by(found, AgreementUnit.NOTE, blank=False)) == [["AB", "ABC"], [None, "A"]]
    spans = [["", "A"], ["A", ""], ["B", "BC"], [None, "A"]]
    assert shown(ratings_by(found, AgreementUnit.SPAN)) == sorted(spans, key=str)


@pytest.mark.filterwarnings("ignore:.*not read")
def test_tokens_disregard_punctuation(corpus: Corpus) -> None:
    """`Fever` and `Fever,` are the same word; all words nobody marked are one row of copies."""
    ratings = ratings_by(annotations_of(corpus, ["ann", "bob"]), AgreementUnit.TOKEN)
    marked = ratings.annotated()
    assert shown(marked) == sorted([["A", "A"], ["B", "BC"], ["B", "BC"], [None, "A"]], key=str)
    # Fever no cough Chest pain 2 days, twice, and Stable.
    assert ratings.units == 15
    assert int(ratings.copies.max()) == 6


def test_seen_all(corpus: Corpus) -> None:
    """Who says nothing of a chart has not seen it, unless told otherwise."""
    with pytest.warns(UserWarning, match="pass charts='all'"):
        assert [None, "A"] in shown(
            ratings_by(annotations_of(corpus, ["ann", "bob"]), AgreementUnit.NOTE)
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = annotations_of(corpus, ["ann", "bob"], seen=SeenCharts.ALL)
    assert ["", "A"] in shown(ratings_by(found, AgreementUnit.NOTE))


def test_the_warning_says_who_has_not_seen_what() -> None:
    given = [give(who, A, chart) for chart in ("c1", "c2") for who in ("ann", "bob")]
    three = ["ann", "bob", "cat"]
    for more, says in (
        (
            [give("cat", A, "c1")],
            "no annotation by cat on 1 chart that two others annotated. These",
        ),
        (
            [give("cat", A, "c3")],
            "1 chart annotated by one annotator only; no annotation by cat on 2 charts that",
        ),
    ):
        with pytest.warns(UserWarning, match="not read") as caught:
            annotations_of(Corpus.of(NOTES, given + more), three)
        assert str(caught[0].message).startswith(says)


def test_codes_of_a_whole_chart() -> None:
    """A code on the chart is a unit of its own beside the notes, and one code of the chart."""
    given = [
        give("ann", A, "c1"),
        give("bob", A, "c1", "n1"),
        give("bob", A, "c1", "n1", (0, 5)),
    ]
    found = annotations_of(Corpus.of(NOTES, given), ["ann", "bob"])
    assert shown(ratings_by(found, AgreementUnit.CHART)) == [["A", "A"]]
    assert shown(ratings_by(found, AgreementUnit.NOTE)) == sorted([["A", ""], ["", "A"], ["", ""]])


def test_notes_that_only_annotations_know() -> None:
    found = agree(
        Corpus.of([], [give("ann", A, "c", "n", (0, 5)), give("bob", A, "c", "n", (0, 5))]),
        ["ann", "bob"],
        times=0,
    )
    assert found.metrics["span_jaccard"].value == 1.0
    assert "text" in str(found.metrics["alpha_unitized"].undefined)


@pytest.mark.filterwarnings("ignore:.*not read")
def test_unitizing_takes_the_charts_that_two_have_seen() -> None:
    """Three coders in turns, two on each chart: no chart is of all, and each pair has its own."""
    notes = [Note(f"n{at}", f"c{at}", text="x" * 100) for at in range(3)]
    pairs = [("ann", "bob"), ("bob", "cat"), ("ann", "cat")]
    given = [
        give(who, A, f"c{at}", f"n{at}", (10 + 5 * at * place, 30))
        for at, pair in enumerate(pairs)
        for place, who in enumerate(pair)
    ]
    found = agree(Corpus.of(notes, given), ["ann", "bob", "cat"], times=0)
    values = {pair: found.pairs[pair]["alpha_unitized"].value for pair in found.pairs}
    assert values["ann", "bob"] == 1.0
    one, other = values["bob", "cat"], values["ann", "cat"]
    assert one is not None
    assert other is not None
    assert 1 > one > other
    together = found.metrics["alpha_unitized"].value
    assert together is not None
    assert other < together < 1
    marks = marks_of(annotations_of(Corpus.of(notes, given), ["ann", "bob", "cat"]), [0, 1, 2])
    assert marks.seen.tolist() == [[True, True, False], [False, True, True], [True, False, True]]


def test_discontinuous_spans_are_one_span_whatever_their_order() -> None:
    given = [
        give("ann", A, "c1", "n1", (17, 22), (0, 5)),
        give("bob", A, "c1", "n1", (0, 5), (17, 22)),
    ]
    found = annotations_of(Corpus.of(NOTES, given), ["ann", "bob"])
    assert shown(ratings_by(found, AgreementUnit.SPAN)) == [["A", "A"]]
    assert len(marks_of(found, [0, 1]).begin) == 4


def test_codes_below_a_threshold_were_not_said(corpus: Corpus) -> None:
    ranked = Annotation("ann", C, "c1", "n1", status=Status.RANKED)
    more = corpus.with_annotations([ranked])
    found = annotations_of(more, ["ann", "bob"], seen=SeenCharts.ALL)
    assert ["AB", "ABC"] in shown(ratings_by(found, AgreementUnit.CHART))


@pytest.mark.filterwarnings("ignore:.*not read")
def test_mistakes(corpus: Corpus) -> None:
    for names, says in (
        (["ann"], "at least two annotators"),
        (["ann", "bobb"], "Did you mean bob"),
        (["ann", "ann"], "named twice"),
        ([], "at least two annotators"),
    ):
        with pytest.raises(OptionError, match=says):
            annotations_of(corpus, names)
    apart = Corpus.of(NOTES, [give("ann", A, "c1", "n1"), give("bob", A, "c2", "n3")])
    with pytest.raises(OptionError, match=r"no chart in common.*ann 1, bob 1"):
        annotations_of(apart, ["ann", "bob"])
    bare = Corpus.of(NOTES, [give("ann", A, "c1", "n1"), give("bob", A, "c1", "n1")])
    for unit in (AgreementUnit.SPAN, AgreementUnit.TOKEN):
        with pytest.raises(OptionError, match="marked evidence spans"):
            agree(bare, ["ann", "bob"], unit=unit)
    untold = Corpus.of([Note("n1", "c1"), Note("n3", "c2")], GIVEN)
    with pytest.raises(OptionError, match="text"):
        agree(untold, ["ann", "bob"], unit=AgreementUnit.TOKEN, times=0)


def test_spans_past_the_text() -> None:
    notes = [Note("n1", "c1", text=SECRET)]
    given = [give("ann", A, "c1", "n1", (0, 5)), give("bob", A, "c1", "n1", (0, 50))]
    for unit in (AgreementUnit.TOKEN, AgreementUnit.NOTE):
        with pytest.raises(CorpusError, match=r"bob in note n1 ends at 50, past") as caught:
            agree(Corpus.of(notes, given), ["ann", "bob"], unit=unit)
        assert SECRET not in str(caught.value)


def test_lone_disagreement_is_told() -> None:
    notes = [Note(str(n), "c") for n in range(30)]
    given = [give("ann", A, "c", "0"), give("bob", A, "c", "0"), give("ann", B, "c", "1")]
    given += [give(who, A, "c", str(n)) for who in ("ann", "bob") for n in range(1, 30)]
    with pytest.warns(UserWarning, match="0 by definition"):
        found = agree(Corpus.of(notes, given), ["ann", "bob"], times=0)
    assert found.metrics["alpha_nominal"].value == pytest.approx(0.0, abs=1e-12)
