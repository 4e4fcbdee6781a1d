"""Merging: each note and each annotation once, and never two notes under one id."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.core import Annotation, Code, CorpusError, Note, Span
from auscult.corpus import Corpus, Manifest
from auscult.corpus.compare import differences

I10 = Code("ICD-10-CM", "I10")


def annotation(annotator: str = "gold", begin: int = 0, score: float | None = None) -> Annotation:
    return Annotation(annotator, I10, "c1", "n1", (Span(begin, 3),), score)


def corpus(text: str | None = "HTN", chart: str = "c1", name: str = "one") -> Corpus:
    notes = [Note("n1", chart, text=text), Note(f"only-{name}", "c2", text="x")]
    return Corpus.of(notes, [annotation()], manifest=Manifest(name=name))


def test_an_id_that_names_two_texts_is_refused() -> None:
    with pytest.raises(CorpusError, match="Note 'n1' has different text in one and two") as caught:
        corpus().merge(corpus("CHF", name="two"))
    assert "HTN" not in str(caught.value)
    with pytest.raises(CorpusError, match="different text in two and three"):
        corpus(None).merge(corpus("a", name="two"), corpus("b", name="three"))


def test_an_id_that_names_notes_of_two_charts_is_refused() -> None:
    with pytest.raises(CorpusError, match="Note 'n1' is of different charts"):
        corpus(None).merge(corpus(None, chart="c9", name="two"))


def test_nothing_is_written_when_merging_is_refused(tmp_path: Path) -> None:
    corpus().write(tmp_path / "a")
    corpus("CHF").write(tmp_path / "b")
    words = ["corpus", "merge", *(str(tmp_path / name) for name in "abc")]
    done = CliRunner().invoke(auscult, words)
    assert isinstance(done.exception, CorpusError)
    assert f"{tmp_path / 'a'} and {tmp_path / 'b'}" in str(done.exception)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_texts_come_from_whoever_has_them_and_annotations_once() -> None:
    other = [annotation(), annotation(begin=1), annotation("second"), annotation(score=0.5)]
    second = Corpus.of([Note("n1", "c1")], other)
    for merged in (corpus().merge(second), second.merge(corpus())):
        assert {n.note_id: n.text for n in merged.iter_notes()} == {"n1": "HTN", "only-one": "x"}
        assert sorted(map(str, merged.iter_annotations())) == sorted(map(str, other))
    assert differences(corpus().merge(corpus()), corpus()) == []


def test_what_one_does_not_say_of_a_note_another_may() -> None:
    notes = Corpus.of(
        [Note("n1", "c1", "p1", "Radiology", "2151-03-04", "HTN", None, {"cgid": "7"})]
    )
    evidence = Corpus.of([Note("n1", "c1", split="train", meta={"admission": "c1"})])
    whole = Note(
        "n1",
        "c1",
        "p1",
        "Radiology",
        "2151-03-04",
        "HTN",
        "train",
        {"cgid": "7", "admission": "c1"},
    )
    for merged in (notes.merge(evidence), evidence.merge(notes)):
        assert list(merged.iter_notes()) == [whole]


def test_where_two_say_different_things_the_first_is_kept_with_a_warning() -> None:
    one = Corpus.of([Note("n1", "c1", category="Echo", split="train", meta={"a": "1", "b": "2"})])
    other = Corpus.of(
        [Note("n1", "c1", category="ECG", split="test", meta={"a": "1", "b": "3", "c": "4"})],
        manifest=Manifest(name="second"),
    )
    with pytest.warns(UserWarning, match="the value of the first corpus is kept") as caught:
        merged = one.merge(other)
    assert [str(warning.message) for warning in caught] == [
        f"Note 'n1' has a different {column} in second; the value of the first corpus is kept."
        for column in ("category", "split", "meta")
    ]
    note = next(merged.iter_notes())
    assert (note.category, note.split) == ("Echo", "train")
    assert note.meta == {"a": "1", "b": "2", "c": "4"}


def test_an_id_that_names_notes_of_two_patients_is_refused() -> None:
    with pytest.raises(CorpusError, match="Note 'n1' is of different patients in one and two"):
        Corpus.of([Note("n1", "c1", "p1")], manifest=Manifest(name="one")).merge(
            Corpus.of([Note("n1", "c1", "p2")], manifest=Manifest(name="two"))
        )


def test_what_one_corpus_repeats_stays_repeated() -> None:
    twice = Corpus.of([Note("n1", "c1")], [annotation(), annotation()])
    assert (
        differences(twice.merge(Corpus.of([Note("n2", "c2")])).select(charts=["c1"]), twice) == []
    )


def test_records_come_once() -> None:
    records = pl.DataFrame({"record_id": ["r1", "r2"], "age": [61, 70]})
    first = Corpus.of(records=records)
    merged = first.merge(Corpus.of(records=records.tail(1)), Corpus.of())
    assert merged.records is not None
    assert merged.records.rows() == [("r1", 61), ("r2", 70)]


def test_the_manifest_names_all_sources_and_whose_license_is_which() -> None:
    def of(name: str, terms: str | None, source: str) -> Corpus:
        return Corpus.of(manifest=Manifest(name=name, license=terms, source=source))

    a, b, c = of("a", "MIT", "A.csv"), of("b", None, "B.csv"), of("c", "MIT", "A.csv")
    merged = a.merge(b).manifest
    assert (merged.name, merged.source) == ("a + b", "A.csv; B.csv")
    assert merged.license == "a: MIT; b: not stated"
    assert a.merge(c).manifest.license == "MIT"
    assert a.merge(b).merge(a).manifest.name == "a + b"
