"""The doctor, one planted illness at a time."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Corpus, formats
from auscult.corpus.doctor import Finding, Severity, examine

FEVER = Code("ICD-10-CM", "R50.9")
TEXT = "Fever and SECRETIVE cough."


def on(begin: int, end: int, **more: object) -> Annotation:
    return Annotation("ann", FEVER, "c1", "n1", (Span(begin, end),), **more)  # type: ignore[arg-type]  # test shorthand


def findings(
    annotations: list[Annotation], notes: list[Note] | None = None, *, show_text: bool = False
) -> dict[str, Finding]:
    notes = [Note("n1", "c1", "p1", text=TEXT)] if notes is None else notes
    return {f.check: f for f in examine(Corpus.of(notes, annotations), show_text=show_text)}


def test_a_healthy_corpus_has_no_findings() -> None:
    assert findings([on(0, 5), on(20, 25), Annotation("ann", FEVER, "c1")]) == {}


@pytest.mark.parametrize(
    ("annotation", "check", "severity"),
    [
        (on(20, 99), "span-out-of-range", Severity.ERROR),
        (on(3, 3), "empty-span", Severity.ERROR),
        (on(0, 6), "blank-edge", Severity.WARNING),
        (on(0, 3), "splits-word", Severity.REMARK),
        (on(25, 26), "filler-only", Severity.WARNING),
        (on(0, 5, meta={"quote": "Fevers"}), "quote-differs", Severity.WARNING),
        (Annotation("ann", Code("ICD-10-CM", "R50.99"), "c1"), "unknown-code", Severity.WARNING),
        (Annotation("ann", Code("ICD-9-CM", "R50"), "c1"), "malformed-code", Severity.ERROR),
        (Annotation("ann", Code("ICD-9-CM", "204.0"), "c1"), "heading-code", Severity.REMARK),
        (Annotation("ann", FEVER, "c1", "n9"), "unknown-note", Severity.ERROR),
        (Annotation("ann", FEVER, "c9", "n1"), "chart-mismatch", Severity.ERROR),
        (Annotation("ann", FEVER, "c9"), "chart-without-notes", Severity.REMARK),
    ],
)
def test_one_illness_one_finding(annotation: Annotation, check: str, severity: Severity) -> None:
    found = findings([annotation])
    assert list(found) == [check]
    assert found[check].severity is severity
    assert found[check].count == 1
    assert found[check].advice


def test_one_is_said_in_the_singular() -> None:
    one = findings([on(0, 3), Annotation("ann", Code("ICD-9-CM", "204.0"), "c1")])
    assert one["splits-word"].problem == "span that begins or ends inside a word"
    assert one["heading-code"].problem == (
        "annotation with a code that is a category, too general to be billed"
    )
    two = findings([on(0, 3), on(1, 5), *(Annotation("ann", Code("CPT", v), "c1") for v in "xy")])
    assert two["splits-word"].problem == "spans that begin or end inside a word"
    assert two["malformed-code"].problem == (
        "annotations with one of 2 codes that do not have the form of their code system"
    )


def test_as_many_examples_as_asked_for() -> None:
    notes = [Note(f"n{i}", "c1") for i in range(4)]
    for asked, given in ((1, 1), (3, 3), (9, 4)):
        found = examine(Corpus.of(notes), examples=asked)[0]
        assert found.examples == tuple(f"note n{i}" for i in range(given))
        assert found.to_dict()["examples"] == found.examples
    spans = examine(Corpus.of([Note("n1", "c1", text=TEXT)], [on(0, 3), on(1, 5)]), examples=5)
    assert [example.split()[5] for example in spans[0].examples] == ["0–3", "1–5"]


def test_a_note_that_repeats_another_of_its_chart() -> None:
    notes = [Note("a", "c1", text="x"), Note("a#2", "c1", text="x"), Note("b", "c2", text="x")]
    found = findings([], notes)["repeated-note"]
    assert (found.count, found.examples) == (1, ("note a#2",))


def test_duplicates_are_counted_once_each() -> None:
    assert findings([on(0, 5), on(0, 5), on(0, 5)])["duplicate-annotation"].count == 2
    # What differs in its score or meta is the same statement, said again.
    said = [on(0, 5), on(0, 5, score=0.5), on(0, 5, meta={"type": "x"}), on(0, 5), on(1, 5)]
    found = findings(said)
    assert found["duplicate-annotation"].count == 1
    assert found["near-duplicate-annotation"].count == 2
    assert found["near-duplicate-annotation"].severity is Severity.REMARK
    assert "near-duplicate-annotation" not in findings([on(0, 5), on(0, 5)])
    twice = [Note("n1", "c1", text="a"), Note("n1", "c1", text="b")]
    assert findings([], twice)["duplicate-note"].count == 1


@pytest.mark.parametrize(
    "text", ["fiÃ¨vre", "donâ€™t", "37Â°C", "caf\ufffd", "b'Chest pain'", "caf\\xc3\\xa9"]
)
def test_undecoded_bytes_are_noticed(text: str) -> None:
    assert findings([], [Note("n", "c", text=text)])["undecoded-bytes"].count == 1


@pytest.mark.parametrize("text", ["fièvre", "don’t", "37°C", "Â la carte", "😀", "Ângela"])
def test_proper_text_is_left_alone(text: str) -> None:
    assert findings([], [Note("n", "c", text=text)]) == {}


def test_a_patient_in_two_splits() -> None:
    notes = [
        Note("n1", "c1", "p1", text="a", split="train"),
        Note("n2", "c2", "p1", text="b", split="test"),
    ]
    found = findings([], notes)["patient-in-two-splits"]
    assert found.severity is Severity.ERROR
    assert found.example == "patient p1 in test and train"


def test_text_shows_only_when_asked_for() -> None:
    annotations = [on(10, 14), on(3, 99), on(9, 25, meta={"quote": "SECRET"})]
    quiet = findings(annotations)
    assert len(quiet) == 4
    assert "SECRET" not in repr(quiet)
    loud = findings(annotations, show_text=True)
    assert "SECRET" in str([finding.to_dict() for finding in loud.values()])
    assert "SECRET" not in repr(loud)


def test_the_worst_comes_first() -> None:
    found = examine(Corpus.of([Note("n1", "c1", text=TEXT)], [on(0, 3), on(20, 99), on(0, 6)]))
    ranks = [f.severity.rank for f in found]
    assert ranks == sorted(ranks)
    assert len(ranks) == 3


@pytest.mark.real
def test_the_two_stray_rows_of_mdace(shared_data: Path) -> None:
    corpus = formats.read("mdace", shared_data / "mdace" / "data" / "Inpatient" / "ICD-10")
    stray = [f for f in examine(corpus) if f.check == "stray-system"]
    assert [(f.count, f.severity) for f in stray] == [(2, Severity.WARNING)]
    codes = corpus.lazy_annotations.filter(pl.col("system") == "ICD-9-CM").collect()["code"]
    assert sorted(codes) == ["E860", "E861"]


@pytest.mark.real
def test_the_seven_quotes_of_codiesp(shared_data: Path) -> None:
    found = {f.check: f for f in examine(formats.read("codiesp", shared_data / "codiesp"))}
    assert found["quote-differs"].count == 7
