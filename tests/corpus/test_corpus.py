"""A corpus in memory and on disk."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
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
        Annotation(
            "ann", FEVER, "c1", "n1", (Span(0, 5), Span(8, 11)), 0.5, meta={"type": "Human"}
        ),
        Annotation("ann", XRAY, "c1", "n2"),
        Annotation("bob", FEVER, "c1"),
        Annotation("bob", FEVER, "c2", "n3", (Span(1, 2),)),
    ]
    records = pl.DataFrame({"record_id": ["c1", "c2"], "chart_id": ["c1", "c2"], "age": [71, 5]})
    return Corpus.of(notes, annotations, records, Manifest(name="test", license="CC0"))


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
    assert manifest["license"] == "CC0"
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
    records = corpus.select(charts=["c2"]).lazy_records
    assert records is not None
    assert records.collect()["record_id"].to_list() == ["c2"]


def test_charts_hold_their_notes_and_annotations(corpus: Corpus) -> None:
    charts = list(corpus.charts())
    assert [(c.chart_id, len(c.notes), len(c.annotations)) for c in charts] == [
        ("c1", 2, 3),
        ("c2", 1, 1),
    ]


def test_charts_come_in_batches_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = [Note(f"n{i}", f"c{i % 7}", text=f"{i}") for i in range(50)]
    annotations = [Annotation("ann", FEVER, f"c{i % 9}") for i in range(30)]
    many = Corpus.of(notes, annotations)
    whole = list(many.charts())
    assert [chart.chart_id for chart in whole] == [f"c{i}" for i in range(9)]
    assert [note.note_id for note in whole[3].notes] == [f"n{i}" for i in range(3, 50, 7)]
    for size in (1, 4, 20):
        monkeypatch.setattr("auscult.corpus.corpus._ROWS_OF_CHARTS", size)
        assert list(many.charts()) == whole
        assert [c.chart_id for c in many.charts(["c8", "c2"])] == ["c2", "c8"]
    assert list(Corpus.of().charts()) == []


def test_records_are_told_apart(tmp_path: Path) -> None:
    nameless = Corpus.of(records=pl.DataFrame({"age": [71]}))
    with pytest.raises(CorpusError, match="records lacks the column record_id; it has age"):
        nameless.write(tmp_path / "out")
    (tmp_path / "notes.csv").write_text("note_id,text\nn1,x\n")
    (tmp_path / "records.csv").write_text("age\n71\n")
    with pytest.raises(FormatError, match=r"records\.csv row 1: there is no column record_id"):
        formats.read("csv", tmp_path)
    for file in tmp_path.iterdir():
        file.unlink()
    (tmp_path / "notes.jsonl").write_text('{"note_id": "n1", "text": "x"}\n')
    (tmp_path / "records.jsonl").write_text('{"age": 71}\n')
    with pytest.raises(FormatError, match="record_id"):
        formats.read("jsonl", tmp_path)


def test_appending(corpus: Corpus, tmp_path: Path) -> None:
    written = corpus.write(tmp_path / "out")
    grown = written.append(
        [Note("n4", "c3", text="new")], [Annotation("cy", FEVER, "c3", "n4", (Span(0, 3),))]
    )
    assert [n.note_id for n in grown.iter_notes()] == ["n1", "n2", "n3", "n4"]
    assert grown.manifest.annotators == {"ann": 2, "bob": 2, "cy": 1}
    # An older handle appends to what is there by now.
    again = written.append(
        [Note("n5", "c3")], [Annotation("cy", FEVER, "c1", "n1", (Span(0, 16),))]
    )
    assert [n.note_id for n in again.iter_notes()] == ["n1", "n2", "n3", "n4", "n5"]
    assert again.manifest.annotators == {"ann": 2, "bob": 2, "cy": 2}


@pytest.mark.parametrize(
    ("notes", "annotations", "problem"),
    [
        ([Note("n1", "c1")], [], "never overwritten"),
        ([Note("n4", "c3"), Note("n4", "c3")], [], "'n4' appears 2 times"),
        ([], [Annotation("cy", FEVER, "c1", "n9")], "not in the corpus, the first on 'n9'"),
        ([], [Annotation("cy", FEVER, "c2", "n1")], "a different chart than their note"),
        (
            [Note("n4", "c3", text="new 😀")],
            [Annotation("cy", FEVER, "c3", "n4", (Span(0, 3), Span(4, 6)))],
            "end 6 is past its 5 characters",
        ),
    ],
)
def test_what_contradicts_the_corpus_is_not_appended(
    corpus: Corpus,
    tmp_path: Path,
    notes: list[Note],
    annotations: list[Annotation],
    problem: str,
) -> None:
    written = corpus.write(tmp_path / "out")
    with pytest.raises(CorpusError, match=problem):
        written.append(notes, annotations)
    assert differences(Corpus.open(tmp_path / "out"), corpus) == []
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_appends_of_several_processes_all_arrive(tmp_path: Path) -> None:
    path = tmp_path / "out"
    Corpus.of([Note("n", "c", text="x")]).write(path)
    script = """
import sys
from auscult import Corpus, Note
opened = Corpus.open(sys.argv[1])
sys.stdin.readline()
for number in range(5):
    opened.append([Note(f"{sys.argv[2]}{number}", "c")])
"""
    words = [sys.executable, "-c", script, str(path)]
    children = [subprocess.Popen([*words, name], stdin=subprocess.PIPE) for name in "ab"]
    for child in children:
        child.communicate(b"go", timeout=120)
    assert [child.returncode for child in children] == [0, 0]
    ids = [note.note_id for note in Corpus.open(path).iter_notes()]
    assert sorted(ids) == sorted(
        ["n", *(f"{name}{number}" for name in "ab" for number in range(5))]
    )


@pytest.mark.parametrize("size", [1, 40, 3_000])
def test_a_corpus_written_anew_is_not_read_through_an_old_handle(tmp_path: Path, size: int) -> None:
    """Whether the new one is smaller, as large or larger: never its rows, and never too few."""

    def of(count: int, text: str) -> Corpus:
        notes = [Note(f"n{i}", "c", text=text * (i + 1)) for i in range(count)]
        return Corpus.of(notes, [Annotation(text, FEVER, "c", n.note_id) for n in notes])

    path = tmp_path / "out"
    opened = of(40, "old").write(path)
    part = opened.select(charts=["c"]).with_annotations([])
    of(size, "new").write(path, overwrite=True)
    reads: list[Callable[[], object]] = [
        lambda: list(opened.iter_notes()),
        lambda: list(part.iter_annotations()),
        lambda: list(opened.charts()),
        lambda: opened.lazy_notes.select(pl.len()).collect(),
        lambda: part.lazy_notes.filter(pl.col("note_id") == "n1").collect(),
        lambda: opened.write(tmp_path / "copy"),
    ]
    for read in reads:
        with pytest.raises(CorpusError, match="Open the corpus again"):
            read()
    assert len(list(Corpus.open(path).iter_notes())) == size


def test_a_corpus_replaced_while_it_is_read_is_read_whole_or_not(tmp_path: Path) -> None:
    path = tmp_path / "out"
    opened = Corpus.of(Note(f"n{i}", "c", text=f"{i}" * 200) for i in range(20_000)).write(path)
    reading = opened.iter_notes()
    notes = [next(reading)]
    Corpus.of([Note("n", "c")]).write(path, overwrite=True)
    try:
        notes += reading
    except CorpusError as error:
        assert "Open the corpus again" in str(error)  # noqa: PT017 - either end is a good one
    else:
        assert [note.note_id for note in notes] == [f"n{i}" for i in range(20_000)]


def test_rows_that_are_missing_are_noticed(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "out"
    corpus.write(path)
    shorter = pl.read_parquet(path / "notes.parquet").head(2)
    shorter.write_parquet(path / "notes.parquet")
    with pytest.raises(CorpusError, match="has 2 rows; the manifest lists 3"):
        list(Corpus.open(path).iter_notes())


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
    with pytest.raises(OptionError, match="pass overwrite=True"):
        corpus.write(tmp_path / "out")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    with pytest.raises(OptionError, match="not a corpus"):
        corpus.write(tmp_path / "mine", overwrite=True)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "precious"
    smaller = Corpus.of([Note("n1", "c1", text="x")])
    assert len(list(smaller.write(tmp_path / "out", overwrite=True).iter_notes())) == 1
    assert not (tmp_path / "out" / "records.parquet").exists()


def test_a_failed_write_changes_nothing(corpus: Corpus, tmp_path: Path) -> None:
    written = corpus.write(tmp_path / "out")
    broken = Corpus(
        pl.LazyFrame({"note_id": ["a"]}).select(pl.col("missing")), corpus.lazy_annotations
    )
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
    # And it can be written again, whatever the dead process left lying about, which goes.
    assert len(list(Corpus.of([]).write(path, overwrite=True).iter_notes())) == 0
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_the_draft_of_a_dead_writer_goes_and_that_of_a_living_one_stays(tmp_path: Path) -> None:
    script = f"""
import sys, time
from pathlib import Path
from auscult.core.storage import drafted
with drafted(Path({str(tmp_path / "out")!r})) as draft:
    print(draft.parent.name, flush=True)
    time.sleep(600)
"""
    words = [sys.executable, "-c", script]
    children = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        drafts = [child.stdout.readline().strip() for child in children if child.stdout]
        children[0].kill()
        children[0].wait()
        assert {entry.name for entry in tmp_path.iterdir()} == set(drafts)
        (tmp_path / ".out.backup12").mkdir()
        Corpus.of([]).write(tmp_path / "out")
        left = {entry.name for entry in tmp_path.iterdir()}
        assert left == {"out", drafts[1], ".out.backup12"}
    finally:
        for child in children:
            child.kill()
            child.wait()


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
    with pytest.raises(CorpusError, match="changed after"):
        Corpus.open(path).verify()


def test_a_newer_layout_and_a_broken_manifest_are_refused(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "out"
    corpus.write(path)
    manifest = path / "manifest.json"
    written = manifest.read_text()
    manifest.write_text(written.replace('"layout": 3', '"layout": 99'))
    with pytest.raises(CorpusError, match="newer Auscult"):
        Corpus.open(path)
    earlier = written.replace('"layout": 3', '"layout": 2').replace('"license"', '"licence"')
    assert earlier != written
    manifest.write_text(earlier)
    with pytest.raises(CorpusError, match=r"made by auscult .* Import the source again: auscult"):
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


def test_names_that_are_not_there_are_an_error_in_memory_and_on_disk(
    corpus: Corpus, tmp_path: Path
) -> None:
    for one in (corpus, corpus.write(tmp_path / "corpus")):
        with pytest.raises(
            OptionError, match=r"no annotator 'bobb'\. Did you mean bob\? Known: ann"
        ):
            one.select(annotators=["bobb"])
        with pytest.raises(OptionError, match=r"no code system 'ICD10'.*Known: CPT, ICD-10-CM"):
            one.select(systems=["ICD10"])
        with pytest.raises(OptionError, match=r"no note category 'Physican'.*mean Physician"):
            one.select(categories=["Physican"])
        with pytest.raises(OptionError, match=r"no split 'tset'\. Did you mean test"):
            one.select(splits=["train", "tset"])
        with pytest.raises(OptionError, match=r"such as \['c1'\]"):
            one.select(charts="c1")
        assert list(one.select(annotators=[]).iter_annotations()) == []
        # Both are there, and have nothing in common.
        assert one.select(splits=["test"], categories=["Physician"]).notes.is_empty()


def test_who_only_read_notes_is_an_annotator(tmp_path: Path) -> None:
    read = Corpus.of([Note("n", "c", text="a", read_by=("ann",))], [Annotation("bob", FEVER, "c")])
    for one in (read, read.write(tmp_path / "corpus")):
        assert one.select(annotators=["ann"]).annotations.is_empty()
        with pytest.raises(OptionError, match=r"no annotator 'anna'.*Known: ann, bob"):
            one.select(annotators=["anna"])


def test_patients_are_counted_in_notes_and_records() -> None:
    records = pl.DataFrame({"record_id": ["r1", "r2", "r3"], "subject_id": ["p1", "p2", None]})
    corpus = Corpus.of([Note("n1", "c1", "p1"), Note("n2", "c2", "p3"), Note("n3", "c3")])
    assert info(corpus).subjects == 2
    assert info(replace(corpus, lazy_records=records.lazy())).subjects == 3


@pytest.mark.real
def test_the_patients_of_the_demo_are_in_its_records(shared_data: Path) -> None:
    assert info(formats.read("mimic3", shared_data / "mimic3_demo")).subjects == 100
