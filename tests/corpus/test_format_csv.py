"""CSV with column names of the user's own."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from auscult.core import Annotation, Code, FormatError, Note, OptionError, Span, Status
from auscult.corpus import Corpus
from auscult.corpus.compare import differences
from auscult.corpus.formats import read, write

TEXT = 'Fever 🫀 of 39 °C,\r\n"no" cough.'


def put(folder: Path, name: str, *rows: list[str]) -> Path:
    """A table as Python's own csv module writes it."""
    file = folder / name
    opened = gzip.open if name.endswith(".gz") else open
    with opened(file, "wt", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows(rows)
    return file


def test_columns_by_the_names_given(tmp_path: Path) -> None:
    file = put(
        tmp_path,
        "any.csv",
        ["ID", "Report", "Stay", "Person", "Kind", "Day", "Part", "Age"],
        ["1", TEXT, "c1", "p1", "ED", "2151-03-04", "train", "7"],
        ["2", "Cough", "c1", "p1", "", "", "", "8"],
    )
    corpus = read(
        "csv",
        file,
        note_id="id",  # in any case
        text="Report",
        chart_id="Stay",
        subject_id="Person",
        category="Kind",
        time="Day",
        split="Part",
        records=True,
    )
    assert list(corpus.iter_notes()) == [
        Note("1", "c1", "p1", "ED", "2151-03-04", TEXT, "train"),
        Note("2", "c1", "p1", None, None, "Cough"),
    ]
    assert corpus.records is not None
    assert corpus.records.rows(named=True) == [
        {"record_id": "1", "chart_id": "c1", "Age": "7"},
        {"record_id": "2", "chart_id": "c1", "Age": "8"},
    ]
    assert read("csv", file, note_id="ID", text="Report").records is None


def test_columns_of_codes(tmp_path: Path) -> None:
    file = put(
        tmp_path,
        "notes.csv",
        ["note_id", "text", "main", "others"],
        ["1", "a", "4019", "E8600; V1011 ;"],
        ["2", "b", "", "4019"],
    )
    corpus = read("csv", file, codes=["main", "others"], system="ICD-9-CM", annotator="billing")
    assert [(a.note_id, str(a.code), a.spans, a.annotator) for a in corpus.iter_annotations()] == [
        ("1", "ICD-9-CM 401.9", (), "billing"),
        ("1", "ICD-9-CM E860.0", (), "billing"),
        ("1", "ICD-9-CM V10.11", (), "billing"),
        ("2", "ICD-9-CM 401.9", (), "billing"),
    ]
    with pytest.raises(OptionError, match="needs --code-system"):
        read("csv", file, codes=["main"])
    with pytest.raises(FormatError, match="no column second"):
        read("csv", file, codes=["second"], system="ICD-9-CM")


def test_a_second_table_of_annotations(tmp_path: Path) -> None:
    notes = put(tmp_path, "n.csv.gz", ["id", "text"], ["1", TEXT], ["2", "Cough"])
    annotations = put(
        tmp_path,
        "a.csv",
        ["id", "from", "to", "icd", "score"],
        ["1", "0", "5", "r509", "0.5"],
        ["1", "0;11.0", "5;13", "R05", ""],
        ["2", "", "", "R05", ""],
    )
    corpus = read(
        "csv",
        notes,
        note_id="id",
        annotations=annotations,
        begin="from",
        end="to",
        code="icd",
        system="ICD-10-CM",
    )
    assert list(corpus.iter_annotations()) == [
        Annotation("gold", Code("ICD-10-CM", "R50.9"), "1", "1", (Span(0, 5),), 0.5),
        Annotation("gold", Code("ICD-10-CM", "R05"), "1", "1", (Span(0, 5), Span(11, 13))),
        Annotation("gold", Code("ICD-10-CM", "R05"), "2", "2"),
    ]


def test_annotations_beside_their_notes(tmp_path: Path) -> None:
    file = put(
        tmp_path,
        "notes.csv",
        ["note_id", "text", "begin", "end", "code", "system"],
        ["1", TEXT, "0", "5", "R50.9", "ICD-10-CM"],
        ["1", TEXT, "25", "30", "R05", "ICD-10-CM"],
        ["2", "nothing", "", "", "", ""],
    )
    corpus = read("csv", file)
    assert [note.note_id for note in corpus.iter_notes()] == ["1", "2"]
    assert [a.code.value for a in corpus.iter_annotations()] == ["R50.9", "R05"]
    put(
        tmp_path,
        "notes.csv",
        ["note_id", "text", "begin", "end", "code", "system"],
        ["1", TEXT, "0", "5", "R50.9", "ICD-10-CM"],
        ["2", TEXT, "0", "5", "R50.9", "ICD-10-CM"],
        ["1", "another text", "0", "5", "R50.9", "ICD-10-CM"],
    )
    with pytest.raises(FormatError, match=r"notes\.csv row 4: note '1' appears more than once"):
        read("csv", file)


def test_the_error_a_user_sees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [[f"n{i}", "x" * 398, "0", "412" if i == 17 else "5", "I10"] for i in range(2, 30)]
    put(tmp_path, "notes.csv", ["note_id", "text", "begin", "end", "code"], *rows)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FormatError) as caught:
        read("csv", "notes.csv", system="ICD-10-CM")
    assert str(caught.value) == (
        "notes.csv row 17: end 412 is past the note's 398 characters. Offsets count Unicode code "
        "points; if yours are bytes or UTF-16 units, pass --offsets utf8 or --offsets utf16."
    )


@pytest.mark.parametrize(("unit", "end"), [("codepoint", "7"), ("utf16", "8"), ("utf8", "10")])
def test_offsets_in_other_units(unit: str, end: str, tmp_path: Path) -> None:
    notes = put(tmp_path, "notes.csv", ["note_id", "text"], ["1", TEXT])
    table = put(tmp_path, "a.csv", ["note_id", "begin", "end", "code"], ["1", "6", end, "x"])
    corpus = read("csv", notes, annotations=table, system="S", offsets=unit)
    assert [annotation.spans for annotation in corpus.iter_annotations()] == [(Span(6, 7),)]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (["1", "5", "0", "x", "S", ""], "0 ≤ begin ≤ end"),
        (["1", "-1", "5", "x", "S", ""], "begin and end must be integers"),
        (["1", "0", "", "x", "S", ""], "begin and end must be integers"),
        (["1", "0;1", "5", "x", "S", ""], "begin and end must be integers"),
        (["1", "0;a", "5;6", "x", "S", ""], "begin and end must be integers"),
        (["1", "0", "9" * 30, "x", "S", ""], "begin and end must be integers"),
        (["", "0", "5", "x", "S", ""], "needs a note_id or a chart_id"),
        (["1", "0", "5", "", "S", ""], "needs a system and a code"),
        (["1", "0", "5", "x", "", ""], "needs a system and a code"),
        (["1", "0", "5", "x", "S", "high"], "score must be a number"),
        (["1", "0", "99", "x", "S", ""], "end 99 is past the note's 30 characters"),
    ],
)
def test_a_row_that_cannot_be_is_named(row: list[str], problem: str, tmp_path: Path) -> None:
    put(tmp_path, "notes.csv", ["note_id", "text"], ["1", TEXT])
    header = ["note_id", "begin", "end", "code", "system", "score"]
    table = put(tmp_path, "annotations.csv", header, ["1", "0", "5", "x", "S", "1"], row)
    with pytest.raises(FormatError, match=problem) as caught:
        read("csv", tmp_path)
    assert f"{table} row 3: " in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "options", "problem"),
    [
        ([["id", "text"], ["1", "a"]], {}, "row 1: there is no column note_id; the columns are id"),
        (
            [["note_id", "x"], ["1", "a"]],
            {},
            "no column text.*Name yours with --note-id-column, --text-column",
        ),
        ([["note_id", "text"], ["1", "a"]], {"time": "when"}, "there is no column when"),
        ([["note_id", "text"], ["1", "a"], ["1", "b"]], {}, "row 3: duplicate note '1'"),
        ([["note_id", "text"], ["1", "a"], ["", "b"]], {}, "row 3: a note needs a note_id"),
        ([["note_id", "text"], ["1", "a"], ["2"]], {}, "row 3: the row has 1 fields"),
        ([], {}, "empty"),
    ],
)
def test_notes_that_cannot_be_are_named(
    rows: list[list[str]], options: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    file = put(tmp_path, "some.csv", *rows)
    with pytest.raises(FormatError, match=problem) as caught:
        read("csv", file, **options)
    assert str(caught.value).startswith(str(file))


def test_a_missing_header_does_not_show_the_first_note(tmp_path: Path) -> None:
    file = put(tmp_path, "some.csv", ["1", "Mr Smith has fever and a cough."], ["2", "Cough"])
    with pytest.raises(FormatError, match="do not look like column names") as caught:
        read("csv", file)
    assert "Smith" not in str(caught.value)
    put(tmp_path, "some.csv", ["note_id", "text"], *[["1", "Mr Smith " * 9]] * 2)
    with pytest.raises(FormatError, match="duplicate note of 81 characters") as caught:
        read("csv", file, note_id="text", text="note_id")
    assert "Smith" not in str(caught.value)


def test_a_table_without_systems_asks_for_one(tmp_path: Path) -> None:
    notes = put(tmp_path, "notes.csv", ["note_id", "text"], ["1", TEXT])
    table = put(tmp_path, "a.csv", ["note_id", "code"], ["1", "x"])
    with pytest.raises(FormatError, match="no column system"):
        read("csv", notes, annotations=table)


def test_a_meta_column_of_others_is_kept_whole(tmp_path: Path) -> None:
    file = put(
        tmp_path, "notes.csv", ["note_id", "text", "meta"], ["1", "a", "ward 7"], ["2", "b", "{}"]
    )
    assert [note.meta for note in read("csv", file).iter_notes()] == [{"meta": "ward 7"}, {}]


def test_tables_to_the_byte(tmp_path: Path) -> None:
    corpus = Corpus.of(
        [
            Note("1", "c", category="", text='a "b",\r\nc'),
            Note("2", "c", meta={"k": "v"}, read_by=("ann", "bob")),
        ],
        [
            Annotation("ann", Code("S", "x,y"), "c", "1", (Span(0, 1), Span(3, 4)), 0.5),
            Annotation("ann", Code("S", "x"), "c", status=Status.RANKED),
        ],
        pl.DataFrame({"record_id": ["1"], "age": ["7"]}),
    )
    assert write("csv", corpus, tmp_path / "out") == []
    assert (tmp_path / "out" / "notes.csv").read_bytes().decode() == (
        "note_id,chart_id,subject_id,category,time,split,meta,read_by,text\n"
        '1,c,,"",,,,,"a ""b"",\r\nc"\n'
        '2,c,,,,,"{""k"": ""v""}",ann;bob,\n'
    )
    assert (tmp_path / "out" / "annotations.csv").read_text() == (
        "note_id,chart_id,annotator,system,code,begin,end,score,status,meta\n"
        '1,c,ann,S,"x,y",0;3,1;4,0.5,given,\n'
        ",c,ann,S,x,,,,ranked,\n"
    )
    assert (tmp_path / "out" / "records.csv").read_text() == "record_id,age\n1,7\n"
    assert differences(corpus, read("csv", tmp_path / "out")) == []


def test_records_that_are_no_text_are_a_loss(tmp_path: Path) -> None:
    records = pl.DataFrame({"record_id": ["a"], "age": [7], "list": [[1, 2]]})
    losses = write("csv", Corpus.of([Note("n", "n")], records=records), tmp_path / "out")
    assert [str(loss) for loss in losses] == [
        "1 columns of records with nested values: left out",
        "1 columns of records that are not text: written as text",
    ]
    back = read("csv", tmp_path / "out").lazy_records
    assert back is not None
    assert back.collect().rows() == [("a", "7")]


def test_it_is_written_as_a_folder(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="folder of tables"):
        write("csv", Corpus.of(), tmp_path / "out.csv")


@pytest.mark.real
def test_neiss(shared_data: Path, tmp_path: Path) -> None:
    file = shared_data / "neiss" / "dev.csv"
    corpus = read("csv", file, note_id="CPSC_Case_Number", text="Narrative", records=True)
    with file.open(encoding="utf-8", newline="") as handle:
        rows = {row["CPSC_Case_Number"]: row for row in csv.DictReader(handle)}
    notes = list(corpus.iter_notes())
    assert len(notes) == len(rows) == 8000
    assert all(note.text == rows[note.note_id]["Narrative"] for note in notes)
    assert corpus.records is not None
    records = corpus.records
    assert records.height == 8000
    assert set(records.columns) == {
        *("record_id", "chart_id"),
        *(set(next(iter(rows.values()))) - {"CPSC_Case_Number", "Narrative"}),
    }
    assert all(
        (said or "") == rows[record_id]["Diagnosis"]
        for record_id, said in records.select("record_id", "Diagnosis").iter_rows()
    )
    assert write("csv", corpus, tmp_path / "out") == []
    assert differences(corpus, read("csv", tmp_path / "out")) == []
