"""MDACE as it was published: its counts, its files byte for byte, its splits."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from tests.corpus import mdace_charts

from auscult.corpus.compare import differences
from auscult.corpus.formats import read, write

REAL = {
    "Inpatient/ICD-10": (302, 604, {"ICD-10-CM": 3662, "ICD-10-PCS": 272, "ICD-9-CM": 2}),
    "Inpatient/ICD-9": (302, 604, {"ICD-9-CM": 3662, "ICD-9-PCS": 272}),
    "Profee/ICD-10": (52, 588, {"ICD-10-CM": 5217, "CPT": 346}),
    "Profee/ICD-9": (52, 588, {"ICD-9-CM": 5217, "CPT": 346}),
}


@pytest.mark.real
@pytest.mark.parametrize("folder", REAL)
def test_the_published_counts(shared_data: Path, folder: str) -> None:
    charts, notes, systems = REAL[folder]
    corpus = read("mdace", shared_data / "mdace" / "data" / folder)
    assert corpus.notes["note_id"].n_unique() == notes
    assert len(corpus.chart_ids()) == charts
    annotations = corpus.annotations
    assert dict(annotations["system"].value_counts().iter_rows()) == systems
    assert sum(systems.values()) in (3936, 3934, 5563)
    assert set(annotations["annotator"]) == {folder.split("/")[0].lower()}


@pytest.mark.real
def test_two_stray_codes_keep_their_system(shared_data: Path) -> None:
    corpus = read("mdace", shared_data / "mdace" / "data" / "Inpatient" / "ICD-10")
    stray = corpus.select(systems=["ICD-9-CM"]).iter_annotations()
    assert sorted(a.code.value for a in stray) == ["E860", "E861"]


@pytest.mark.real
def test_types_are_kept_as_written(shared_data: Path) -> None:
    corpus = read("mdace", shared_data / "mdace" / "data" / "Inpatient" / "ICD-9")
    assert Counter(a.meta["type"] for a in corpus.iter_annotations()) == {
        "Human": 2525,
        "MapType.APPROX": 687,
        "MapType.EXACT": 417,
        "MapType.MULTI_DESC": 181,
        "MapType.MULTI": 63,
        "MapType.NO_ENTRY": 61,
    }


@pytest.mark.real
@pytest.mark.parametrize("folder", REAL)
def test_the_published_files_are_written_again_byte_for_byte(
    shared_data: Path, tmp_path: Path, folder: str
) -> None:
    source = shared_data / "mdace" / "data" / folder
    corpus = read("mdace", source)
    assert write("mdace", corpus, tmp_path / "out") == []
    assert differences(corpus, read("mdace", tmp_path / "out")) == []
    published = {path.name: path.read_bytes() for path in source.rglob("*.json")}
    written = {path.name: path.read_bytes() for path in (tmp_path / "out").rglob("*.json")}
    assert written == published


@pytest.mark.real
def test_the_whole_of_it_comes_back(shared_data: Path, tmp_path: Path) -> None:
    corpus = read("mdace", shared_data / "mdace" / "data")
    # 118 notes are in both practices; the 346 CPT codes are in both revisions.
    assert corpus.notes["note_id"].n_unique() == 604 + 588 - 118
    assert corpus.lazy_annotations.select(pl.len()).collect().item() == 3936 + 3934 + 2 * 5563 - 346
    assert write("mdace", corpus, tmp_path / "out") == []
    assert differences(corpus, read("mdace", tmp_path / "out")) == []


@pytest.mark.real
@pytest.mark.parametrize(
    ("practice", "sizes"),
    [
        ("Inpatient", {"train": 181, "val": 60, "test": 61}),
        ("Profee", {"train": 31, "val": 10, "test": 11}),
    ],
)
def test_the_published_splits_cover_every_chart(
    shared_data: Path, practice: str, sizes: dict[str, int]
) -> None:
    root = shared_data / "mdace"
    source = root / "data" / practice / "ICD-10"
    corpus = read("mdace", source, splits=root / "splits" / practice)
    charts = corpus.notes.unique("chart_id")
    assert dict(charts["split"].value_counts().iter_rows()) == sizes


@pytest.mark.real
@pytest.mark.parametrize(("practice", "notes"), [("Inpatient", 604), ("Profee", 588)])
def test_every_published_note_gets_its_text(
    shared_data: Path, tmp_path: Path, practice: str, notes: int
) -> None:
    """Made-up text for the real ids, long enough for the real spans: not one note is lost."""
    source = shared_data / "mdace" / "data" / practice / "ICD-10"
    bare = read("mdace", source)
    ends: dict[str, int] = Counter()
    for annotation in bare.iter_annotations():
        note_id = annotation.note_id or ""
        ends[note_id] = max(ends[note_id], annotation.spans[0].end)
    rows = [
        (int(n.note_id), int(n.chart_id), None, ("ab\r\n" * ends[n.note_id])[: ends[n.note_id]])
        for n in bare.iter_notes()
    ]
    table = mdace_charts.noteevents(tmp_path / "NOTEEVENTS.csv.gz", *reversed(rows))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        corpus = read("mdace", source, noteevents=table)
    lengths = {n.note_id: len(n.text or "") for n in corpus.iter_notes()}
    assert lengths == ends
    assert len(lengths) == notes
    assert differences(corpus, bare, ignore=("text", "subject_id", "time")) == []
