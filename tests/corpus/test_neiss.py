"""NEISS: narratives as notes, everything else as typed records of the same ids."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from auscult.core import FormatError
from auscult.corpus import formats
from auscult.corpus.compare import differences
from auscult.corpus.records import pairs_of

HEADER = "CPSC_Case_Number,Treatment_Date,Age,Sex,Product_1,Narrative,Shoe_Size\n"


def write(folder: Path, rows: str, header: str = HEADER) -> Path:
    file = folder / "neiss.csv"
    file.write_text(header + rows, encoding="utf-8")
    return file


def test_a_visit_is_a_note_and_a_record(tmp_path: Path) -> None:
    file = write(
        tmp_path, '7,09/28/2021,1.5,,LADDERS,"FELL, HURT ARM",44\n8,2021-09-29,3,MALE,,,\n'
    )
    corpus = formats.read("neiss", file)
    first, second = corpus.iter_notes()
    assert (first.note_id, first.time, first.text) == ("7", "2021-09-28", "FELL, HURT ARM")
    assert second.text is None
    assert corpus.records is not None
    records = corpus.records
    assert records.row(0, named=True) == {
        "record_id": "7", "chart_id": "7", "treatment_date": datetime.date(2021, 9, 28),
        "age": 1.5, "sex": None, "product_1": "LADDERS",
    }  # fmt: skip


def test_ages_in_months_become_years(tmp_path: Path) -> None:
    rows = "".join(f"{number},,{age},,,X,\n" for number, age in enumerate((206, 223, 2, 101, "")))
    corpus = formats.read("neiss", write(tmp_path, rows))
    assert corpus.records is not None
    assert corpus.records["age"].to_list() == [0.5, 1.917, 2, 101, None]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("7,2021-09-28,seven,MALE,0,X,1\n", "row 2: Age is not a number"),
        ("7,soon,7,MALE,0,X,1\n", "row 2: Treatment_Date is not a date"),
        ("7,,7,MALE,0,X,1\n7,,8,MALE,0,X,1\n", "row 3: duplicate id '7'"),
        (",,7,MALE,0,X,1\n", "row 2: no CPSC_Case_Number"),
        ("7,,inf,MALE,0,X,1\n", "row 2: Age is not a number"),
    ],
)
def test_a_row_that_is_not_right_is_named(tmp_path: Path, rows: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        formats.read("neiss", write(tmp_path, rows))


def test_a_missing_column_and_other_bytes_are_errors_that_say_so(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="there is no column Narrative"):
        formats.read("neiss", write(tmp_path, "7,MALE\n", "CPSC_Case_Number,Sex\n"))
    file = tmp_path / "latin.csv"
    file.write_bytes(HEADER.encode() + b"7,,7,MALE,0,CAF\xc9,1\n")
    with pytest.raises(FormatError, match="byte 0xc9 is not UTF-8"):
        formats.read("neiss", file)


@pytest.mark.real
def test_the_published_file(shared_data: Path, tmp_path: Path) -> None:
    corpus = formats.read("neiss", shared_data / "neiss" / "dev.csv")
    pairs = pairs_of(corpus)
    assert len(pairs) == 8_000
    assert pairs.records["body_part"].n_unique() == 25
    assert pairs.records["sex"].null_count() == 0
    assert formats.write("neiss", corpus, tmp_path / "out") == []
    assert differences(corpus, formats.read("neiss", tmp_path / "out")) == []
