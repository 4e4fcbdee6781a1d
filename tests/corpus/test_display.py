"""Corpora and charts show themselves: no text in a terminal, and a warning where there is some."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Chart, Corpus, Manifest

_CODE = Code("ICD-10-CM", "R50.9")


def ward() -> Corpus:
    return Corpus.of(
        [
            Note("n1", "c1", category="Nursing", split="train", text="<b>Fever</b> & SECRET cough"),
            Note("n2", "c1", category="Radiology"),
        ],
        [
            Annotation("ann", _CODE, "c1", "n1", (Span(3, 8), Span(15, 21))),
            Annotation("bob", Code("ICD-10-CM", "R05"), "c1", "n1", (Span(15, 27),)),
            Annotation("bob", Code("CPT", "99291"), "c1"),
        ],
        pl.DataFrame({"record_id": ["r"]}),
        Manifest(name="<ward>"),
    )


def test_a_corpus_shows_counts(tmp_path: Path) -> None:
    shown = repr(ward()).splitlines()
    assert shown == [
        "Corpus <ward> (in memory)",
        "  notes       2",
        "  annotations 3",
        "  annotators  bob 2, ann 1",
        "  systems     ICD-10-CM 2, CPT 1",
        "  records     1",
    ]
    written = ward().write(tmp_path / "ward")
    assert repr(written).splitlines()[1:] == shown[1:]
    assert str(tmp_path / "ward") in repr(written)


def test_a_repr_never_fails(tmp_path: Path) -> None:
    part = ward().write(tmp_path / "ward").select(annotators=["ann"])
    ward().write(tmp_path / "ward", overwrite=True)
    for file in (tmp_path / "ward").glob("*.parquet"):
        file.unlink()
    assert "cannot be read" in repr(part)


def test_a_corpus_in_a_notebook_shows_counts_and_no_text() -> None:
    html = ward()._repr_html_()
    assert "&lt;ward&gt;" in html
    assert "<td>categories</td><td>Nursing 1, Radiology 1</td>" in html
    assert "<td>charts</td><td>1</td>" in html
    assert "SECRET" not in html


def test_many_annotators_are_counted() -> None:
    said = [Annotation(f"a{at:02}", _CODE, "c") for at in range(30)]
    assert "a05 1 and 24 more" in repr(Corpus.of([Note("n", "c")], said))


def test_a_chart_is_short_in_a_terminal() -> None:
    (chart,) = ward().charts()
    assert repr(chart) == "Chart('c1': 2 notes, 3 annotations)"


def test_a_chart_in_a_notebook_marks_its_evidence_and_says_that_it_quotes() -> None:
    (chart,) = ward().charts()
    html = chart._repr_html_()
    assert "quotes clinical notes" in html
    assert "Codes without evidence: CPT 99291 (bob)" in html
    marked = re.findall(r'title="([^"]*)">([^<]*)</mark>', html)
    assert marked == [
        ("ICD-10-CM R50.9 (ann)", "Fever"),
        ("ICD-10-CM R50.9 (ann), ICD-10-CM R05 (bob)", "SECRET"),
        ("ICD-10-CM R05 (bob)", " cough"),
    ]
    plain = re.sub(r"<sup>.*?</sup>|<[^>]+>", "", html)
    assert "&lt;b&gt;Fever&lt;/b&gt; &amp; SECRET cough" in plain
    assert "n2 · Radiology: no text" in html


def test_a_chart_that_cannot_be_pointed_at_is_shown_whole() -> None:
    note = Note("n", "c", text="Fever")
    past = Annotation("a", _CODE, "c", "n", (Span(0, 99),))
    assert ">Fever</mark>" in Chart("c", (note,), (past,))._repr_html_()
    assert "<mark" not in Chart("c", (note,), ())._repr_html_()
