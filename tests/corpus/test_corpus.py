"""A corpus in memory and on disk."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from auscult.core import Annotation, Code, CorpusError, FormatError, Note, OptionError, Span
from auscult.corpus import Corpus, Manifest, formats
from auscult.corpus.compare import differences
from auscult.corpus.info import info

FEVER = Code("ICD-10-CM", "R50.9")
XRAY = Code("CPT", "71045")


@pytest.fixture
def corpus() -> Corpus:
    notes = [
        Note("n1", "c1", "p1", "Radiology", "2151-03-04", "Fever 😀 and cough", "train"),
        Note("n2", "c1", "p1", "Physician", "2151-03-04T10:00:00", "", "train", {"cgid": "7"}),
        Note("n3", "c2", "p2", "Radiology", None, None, "test"),
    ]
    annotations = [
        Annotation("ann", FEVER, "c1", "n1", (Span(0, 5), Span(8, 11)), 0.5, {"type": "Human"}),
        Annotation("ann", XRAY, "c1", "n2"),
        Annotation("bob", FEVER, "c1"),
        Annotation("bob", FEVER, "c2", "n3", (Span(1, 2),)),
    ]
    records = pl.DataFrame({"record_id": ["c1", "c2"], "chart_id": ["c1", "c2"], "age": [71, 5]})
    return Corpus.of(notes, annotations, records, Manifest(name="test", licence="CC0"))


def test_write_and_open_gives_everything_back(corpus: Corpus, tmp_path: Path) -> None:
    written = corpus.write(tmp_path / "out")
    assert sorted(f.name for f in (tmp_path / "out").iterdir()) == [
        "annotations.parquet",
        "manifest.json",
        "notes.parquet",
        "records.parquet",
    ]
    assert differences(corpus, written) == []
    assert list(written.iter_notes()) == list(corpus.iter_notes())
    assert list(written.iter_annotations()) == list(corpus.iter_annotations())
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["annotators"] == {"ann": 2, "bob": 2}
    assert manifest["systems"] == {"CPT": 1, "ICD-10-CM": 3}
    assert manifest["licence"] == "CC0"
    written.verify()


def test_selecting(corpus: Corpus) -> None:
    def ids(part: Corpus) -> tuple[list[str], list[tuple[str, str]]]:
        return (
            [n.note_id for n in part.iter_notes()],
            [(a.annotator, a.note_id or a.chart_id) for a in part.iter_annotations()],
        )

    everyone = ["n1", "n2", "n3"]
    assert ids(corpus.select(annotators=["bob"])) == (everyone, [("bob", "c1"), ("bob", "n3")])
    assert ids(corpus.select(systems=["CPT"])) == (everyone, [("ann", "n2")])
    assert ids(corpus.select(splits=["test"])) == (["n3"], [("bob", "n3")])
    # An annotation of the whole chart stays while one of the chart's notes does.
    assert ids(corpus.select(categories=["Physician"])) == (["n2"], [("ann", "n2"), ("bob", "c1")])
    assert ids(corpus.select(charts=["c2"])) == (["n3"], [("bob", "n3")])
    records = corpus.select(charts=["c2"]).records
    assert records is not None
    assert records.collect()["record_id"].to_list() == ["c2"]


def test_charts_hold_their_notes_and_annotations(corpus: Corpus) -> None:
    charts = list(corpus.charts())
    assert [(c.chart_id, len(c.notes), len(c.annotations)) for c in charts] == [
        ("c1", 2, 3),
        ("c2", 1, 1),
    ]


def test_appending(corpus: Corpus, tmp_path: Path) -> None:
    written = corpus.write(tmp_path / "out")
    grown = written.append(
        [Note("n4", "c3", text="new")], [Annotation("cy", FEVER, "c3", "n4", (Span(0, 3),))]
    )
    assert [n.note_id for n in grown.iter_notes()] == ["n1", "n2", "n3", "n4"]
    assert grown.manifest.annotators == {"ann": 2, "bob": 2, "cy": 1}
    with pytest.raises(CorpusError, match="never overwritten"):
        grown.append([Note("n1", "c1")])
    assert len(list(Corpus.open(tmp_path / "out").iter_notes())) == 4


def test_merging_takes_a_note_once_and_its_text_from_where_it_is() -> None:
    with_text = Corpus.of([Note("n1", "c1", text="Fever")])
    stand_off = Corpus.of(
        [Note("n1", "c1"), Note("n9", "c9")],
        [Annotation("gold", FEVER, "c1", "n1", (Span(0, 5),))],
    )
    for merged in (with_text.merge(stand_off), stand_off.merge(with_text)):
        assert {n.note_id: n.text for n in merged.iter_notes()} == {"n1": "Fever", "n9": None}
        assert [a.code for a in merged.iter_annotations()] == [FEVER]


def test_an_existing_directory_is_not_overwritten_unasked(corpus: Corpus, tmp_path: Path) -> None:
    corpus.write(tmp_path / "out")
    with pytest.raises(OptionError, match="--overwrite"):
        corpus.write(tmp_path / "out")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    with pytest.raises(OptionError, match="no corpus"):
        corpus.write(tmp_path / "mine", overwrite=True)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "precious"
    smaller = Corpus.of([Note("n1", "c1", text="x")])
    assert len(list(smaller.write(tmp_path / "out", overwrite=True).iter_notes())) == 1
    assert not (tmp_path / "out" / "records.parquet").exists()


def test_a_failed_write_changes_nothing(corpus: Corpus, tmp_path: Path) -> None:
    written = corpus.write(tmp_path / "out")
    broken = Corpus(pl.LazyFrame({"note_id": ["a"]}).select(pl.col("missing")), corpus.annotations)
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        broken.write(tmp_path / "out", overwrite=True)
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        broken.write(tmp_path / "new")
    assert differences(corpus, Corpus.open(tmp_path / "out")) == []
    written.verify()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]


@pytest.mark.parametrize("seconds", [0.02, 0.1, 0.3, 0.7])
def test_kill_9_leaves_a_whole_corpus(tmp_path: Path, seconds: float) -> None:
    """A process that rewrites the corpus without end is killed; a whole version is left."""
    path = tmp_path / "out"
    Corpus.of([Note("n0", "c", text="0" * 1000)]).write(path)
    script = f"""
import sys
from auscult import Corpus, Note
print("ready", flush=True)
for version in range(1, 10_000):
    notes = [Note(f"n{{i}}", "c", text=str(version) * 1000) for i in range(version % 7 + 1)]
    Corpus.of(notes).write({str(path)!r}, overwrite=True)
"""
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(seconds)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    left = Corpus.open(path)
    left.verify()
    notes = list(left.iter_notes())
    assert len({note.text for note in notes}) == 1
    assert len(notes) == left.manifest.files["notes.parquet"].rows
    # And it can be written again, whatever the dead process left lying about.
    assert len(list(Corpus.of([]).write(path, overwrite=True).iter_notes())) == 0


@pytest.mark.parametrize("moved", [[], ["notes.parquet"], ["notes.parquet", "annotations.parquet"]])
def test_a_change_interrupted_after_its_moment_counts(tmp_path: Path, moved: list[str]) -> None:
    """Killed while the files of a finished change are being put in place: the change is there."""
    path = tmp_path / "out"
    Corpus.of([Note("old", "c")]).write(path)
    Corpus.of([Note("new", "c")]).write(tmp_path / "next")
    (tmp_path / "next").rename(path / ".next")
    for name in moved:
        (path / ".next" / name).replace(path / name)
    opened = Corpus.open(path)
    opened.verify()
    assert [n.note_id for n in opened.iter_notes()] == ["new"]
    grown = opened.append([Note("newer", "c")])
    assert [n.note_id for n in grown.iter_notes()] == ["new", "newer"]
    assert not (path / ".next").exists()


@pytest.mark.parametrize("name", ["notes.parquet", "annotations.parquet"])
def test_damage_is_found(corpus: Corpus, tmp_path: Path, name: str) -> None:
    path = tmp_path / "out"
    corpus.write(path)
    file = path / name
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CorpusError, match=rf"{name}.*half-written"):
        Corpus.open(path)
    file.write_bytes(whole[:40] + bytes([whole[40] ^ 0xFF]) + whole[41:])
    with pytest.raises(CorpusError, match="changed since"):
        Corpus.open(path).verify()


def test_a_newer_layout_and_a_broken_manifest_are_refused(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "out"
    corpus.write(path)
    manifest = path / "manifest.json"
    newer = manifest.read_text().replace('"layout": 1', '"layout": 99')
    manifest.write_text(newer)
    with pytest.raises(CorpusError, match="newer Auscult"):
        Corpus.open(path)
    manifest.write_text("{")
    with pytest.raises(CorpusError, match="not a manifest"):
        Corpus.open(path)
    with pytest.raises(CorpusError, match="no such directory"):
        Corpus.open(tmp_path / "nowhere")
    with pytest.raises(CorpusError, match=r"no manifest\.json"):
        Corpus.open(tmp_path)


def test_a_table_with_other_columns_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "out"
    corpus.write(path)
    pl.DataFrame({"note_id": ["a"]}).write_parquet(path / "notes.parquet")
    with pytest.raises(CorpusError, match="lacks the columns chart_id"):
        Corpus.open(path)


def test_half_a_surrogate_pair_is_named_not_shown() -> None:
    with pytest.raises(FormatError, match="'n7'") as caught:
        Corpus.of([Note("n7", "c", text="SECRET \ud83d")])
    assert "SECRET" not in str(caught.value)


def test_differences_are_named() -> None:
    one = Corpus.of([Note("n", "c", text="a")], [Annotation("x", FEVER, "c")])
    assert differences(
        one, Corpus.of([Note("n", "c", text="b")], [Annotation("x", FEVER, "c")])
    ) == ["notes: text differs in 1 of 1"]
    assert differences(one, Corpus.of([Note("n", "c", text="a")])) == ["annotations: 1 against 0"]


def test_names_that_are_not_there_are_an_error_in_a_corpus_on_disk(
    corpus: Corpus, tmp_path: Path
) -> None:
    written = corpus.write(tmp_path / "corpus")
    with pytest.raises(OptionError, match=r"no annotator 'bobb'\. Did you mean bob"):
        written.select(annotators=["bobb"])
    with pytest.raises(OptionError, match="no code system 'ICD10'"):
        written.select(systems=["ICD10"])
    # One that is there is enough: a caller may ask for all systems of a family.
    assert [a.annotator for a in written.select(systems=["CPT", "HCPCS"]).iter_annotations()]
    assert list(written.select(annotators=[]).iter_annotations()) == []


def test_patients_are_counted_in_notes_and_records() -> None:
    records = pl.DataFrame({"record_id": ["r1", "r2", "r3"], "subject_id": ["p1", "p2", None]})
    corpus = Corpus.of([Note("n1", "c1", "p1"), Note("n2", "c2", "p3"), Note("n3", "c3")])
    assert info(corpus).subjects == 2
    assert info(replace(corpus, records=records.lazy())).subjects == 3


@pytest.mark.real
def test_the_patients_of_the_demo_are_in_its_records(shared_data: Path) -> None:
    assert info(formats.read("mimic3", shared_data / "mimic3_demo")).subjects == 100
