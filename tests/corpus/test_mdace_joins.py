"""MDACE's notes get their text from NOTEEVENTS and their split from the published lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.corpus import mdace_charts

from auscult.core import FormatError
from auscult.corpus.formats import read


@pytest.mark.parametrize("name", ["NOTEEVENTS.csv", "noteevents.csv.gz"])
def test_text_comes_from_noteevents_to_the_character(tmp_path: Path, name: str) -> None:
    source = mdace_charts.tree(tmp_path / "data")
    table = mdace_charts.noteevents(
        tmp_path / name,
        (2, 70, None, 'Other "note"\n'),
        (9, 71, None, "of no chart here"),
        (1, 70, "2101-10-20 19:08:00", mdace_charts.TEXT),
    )
    for given_as in (table, tmp_path):
        corpus = read("mdace", source, noteevents=given_as)
        first, second = corpus.iter_notes()
        assert (first.text, second.text) == (mdace_charts.TEXT, 'Other "note"\n')
        assert (first.subject_id, first.time) == ("7", "2101-10-20T19:08:00")
        assert second.time == "2101-10-20"
        covered = {
            a.code.value: a.spans[0].of(mdace_charts.TEXT) for a in corpus.iter_annotations()
        }
        assert covered == {"I10": "hypertension", "401.9": "hypertension", "99291": "Admitted"}


def test_noteevents_fills_in_a_missing_category(tmp_path: Path) -> None:
    source = mdace_charts.chart(tmp_path / "70.json", 70, mdace_charts.note(1, category=None))
    table = mdace_charts.noteevents(tmp_path / "NOTEEVENTS.csv", (1, 70, None, mdace_charts.TEXT))
    (note,) = read("mdace", source, noteevents=table).iter_notes()
    assert note.category == "Physician"


def test_notes_that_noteevents_lacks_are_counted(tmp_path: Path) -> None:
    source = mdace_charts.tree(tmp_path / "data")
    table = mdace_charts.noteevents(tmp_path / "NOTEEVENTS.csv", (1, 70, None, mdace_charts.TEXT))
    with pytest.warns(UserWarning, match="1 of 2 notes are not in it"):
        corpus = read("mdace", source, noteevents=table)
    assert [note.text for note in corpus.iter_notes()] == [mdace_charts.TEXT, None]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([(5, 70, None, mdace_charts.TEXT)], "none of the 2 notes is in it"),
        (
            [(1, 71, None, mdace_charts.TEXT), (2, 70, None, "")],
            "belongs to admission '71', but in MDACE to '70'",
        ),
        (
            [(1, 70, None, mdace_charts.TEXT), (1, 70, None, mdace_charts.TEXT)],
            "ROW_ID '1' appears twice",
        ),
        (
            [(1, 70, None, "short MARKER"), (2, 70, None, "")],
            r"70-ICD-10\.json: note '1', annotation 1: end 27 is past the note's 12 characters",
        ),
    ],
)
def test_noteevents_that_do_not_fit_are_errors(
    tmp_path: Path, rows: list[tuple[Any, ...]], problem: str
) -> None:
    source = mdace_charts.tree(tmp_path / "data")
    table = mdace_charts.noteevents(tmp_path / "NOTEEVENTS.csv", *rows)
    with pytest.raises(FormatError, match=problem) as caught:
        read("mdace", source, noteevents=table)
    assert "MARKER" not in str(caught.value)


def test_broken_noteevents_are_errors(tmp_path: Path) -> None:
    source = mdace_charts.tree(tmp_path / "data")
    whole = mdace_charts.noteevents(
        tmp_path / "NOTEEVENTS.csv.gz", (1, 70, None, mdace_charts.TEXT)
    ).read_bytes()
    (tmp_path / "cut.csv.gz").write_bytes(whole[:-12])
    with pytest.raises(FormatError, match="gzip"):
        read("mdace", source, noteevents=tmp_path / "cut.csv.gz")
    (tmp_path / "columns.csv").write_text("ROW_ID,HADM_ID\n1,70\n")
    with pytest.raises(FormatError, match="TEXT"):
        read("mdace", source, noteevents=tmp_path / "columns.csv")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FormatError, match="no NOTEEVENTS"):
        read("mdace", source, noteevents=tmp_path / "folder")
    with pytest.raises(FormatError):
        read("mdace", source, noteevents=tmp_path / "missing.csv")


def _splits(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / f"MDace-{name.replace('_', '-')}.csv").write_text(content)
    return folder


def test_splits_come_from_their_files(tmp_path: Path) -> None:
    source = tmp_path / "data"
    for chart in (70, 71, 72, 73):
        mdace_charts.chart(source / f"{chart}.json", chart, mdace_charts.note(chart))
    folder = _splits(
        tmp_path / "splits",
        ev_train="70\n",
        ev_val="71\r\n\r\n",
        ev_test="72",
        code_ev_train="72\n",
        code_ev_test="70\n",
    )

    def split(**options: str) -> dict[str, str | None]:
        corpus = read("mdace", source, splits=folder, **options)
        return {note.chart_id: note.split for note in corpus.iter_notes()}

    assert split() == {"70": "train", "71": "val", "72": "test", "73": None}
    assert split(splitting="code-ev") == {"70": "test", "71": None, "72": "train", "73": None}


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({}, "no MDace-ev-train.csv"),
        ({"ev_train": "70\n", "ev_test": "8\n70\n"}, r"MDace-ev-test\.csv row 2: chart '70'"),
        ({"ev_train": "hadm_id,split\n"}, r"MDace-ev-train\.csv row 1: expected one chart id"),
        ({"ev_train": "1\n2\n"}, "none of the charts"),
    ],
)
def test_splits_that_do_not_fit_are_errors(
    tmp_path: Path, files: dict[str, str], problem: str
) -> None:
    folder = _splits(tmp_path / "splits", **files)
    with pytest.raises(FormatError, match=problem):
        read("mdace", mdace_charts.tree(tmp_path / "data"), splits=folder)
