"""`corpus doctor --coding`: the coding rules over the charts of a corpus."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Corpus
from auscult.corpus.doctor import Finding, Severity, check_coding, examine

TEXT = "SECRETIVE note"


def corpus(
    charts: dict[str, Sequence[str]],
    records: pl.DataFrame | None = None,
    system: str = "ICD-10-CM",
    annotator: str = "ann",
) -> Corpus:
    notes = [Note(f"n{chart}", chart, text=TEXT) for chart in charts]
    given = [
        Annotation(annotator, Code(system, value), chart, f"n{chart}", (Span(0, 9),))
        for chart, values in charts.items()
        for value in values
    ]
    return Corpus.of(notes, given, records)


def found(of: Corpus, examples: int = 1) -> dict[tuple[str, str], Finding]:
    return {(f.check, f.severity): f for f in check_coding(of, examples=examples)}


def test_counts_by_rule_with_charts_and_never_text() -> None:
    made = corpus({"a": ["E10.9", "E11.9"], "b": ["E10.9", "E11.9", "I50"], "c": ["I10"]})
    by_rule = found(made, examples=2)
    conflict = by_rule["coding-excludes1", Severity.ERROR]
    assert conflict.count == 2
    assert conflict.problem.endswith("in 2 charts")
    assert [example.split(" (")[0] for example in conflict.examples] == [
        "ICD-10-CM E10.9 + E11.9 on chart a by ann",
        "ICD-10-CM E10.9 + E11.9 on chart b by ann",
    ]
    assert by_rule["coding-not-billable", Severity.ERROR].problem.endswith("in 1 chart")
    notes = by_rule["coding-use-additional-if-applicable", Severity.REMARK]
    assert notes.count == 3
    assert "SECRETIVE" not in repr(by_rule)


def test_nothing_is_said_of_order_or_of_evidence_in_two_places() -> None:
    made = corpus({"a": ["F02.80", "G30.9", "G30.9"], "b": ["W19.XXXA", "S72.001A"]})
    assert not {check for check, _ in found(made)} & {
        "coding-manifestation-first",
        "coding-sequence",
        "coding-duplicate-code",
        "coding-external-cause-first",
    }


def test_age_and_sex_come_from_the_records() -> None:
    records = pl.DataFrame(
        {"chart_id": ["a", "b", "c"], "age": ["70", "300", "30"], "gender": ["M", "F", "unknown"]}
    )
    made = corpus({"a": ["O80"], "b": ["O80"], "c": ["O80"]}, records)
    by_rule = found(made)
    assert by_rule["coding-age", Severity.WARNING].count == 1
    assert by_rule["coding-sex", Severity.WARNING].count == 1
    assert "chart a" in by_rule["coding-sex", Severity.WARNING].example
    assert not {check for check, _ in found(corpus({"a": ["O80"]}, records.drop("chart_id")))} & {
        "coding-age",
        "coding-sex",
    }


def test_the_codes_of_two_annotators_are_two_charts() -> None:
    first, second = corpus({"a": ["E10.9"]}), corpus({"a": ["E11.9"]}, annotator="other")
    both = Corpus.of(first.iter_notes(), [*first.iter_annotations(), *second.iter_annotations()])
    assert ("coding-excludes1", Severity.ERROR) not in found(both)


def test_icd9_has_its_rules_and_other_systems_none() -> None:
    assert found(corpus({"a": ["486", "786.2"]}, system="ICD-9-CM")).keys() == {
        ("coding-symptom-with-diagnosis", Severity.WARNING)
    }
    assert found(corpus({"a": ["99291"]}, system="CPT")) == {}


def test_only_when_asked() -> None:
    made = corpus({"a": ["E10.9", "E11.9"]})
    assert not any(f.check.startswith("coding-") for f in examine(made))
    assert any(f.check == "coding-excludes1" for f in examine(made, coding=True))
