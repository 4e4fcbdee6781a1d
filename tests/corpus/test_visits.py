"""Visits from MIMIC-IV-ED and from any CSV file: records, texts and codes of the same ids."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from auscult.core import AuscultError, Code, FormatError, Note
from auscult.corpus import Corpus, formats
from auscult.corpus.compare import differences
from auscult.corpus.records import pairs_of

EDSTAYS = """\
subject_id,hadm_id,stay_id,intime,outtime,gender,race,arrival_transport,disposition
10,20,30,2151-03-04 05:06:07,2151-03-04 09:00:00,F,WHITE,AMBULANCE,ADMITTED
11,,31,2151-03-05 15:06:07,,M,ASIAN,WALK IN,HOME
"""
TRIAGE = """\
subject_id,stay_id,temperature,heartrate,resprate,o2sat,sbp,dbp,pain,acuity,chiefcomplaint
11,31,98.6,,16,99,120,80,unable,3.0,"Cough, fever"
10,30,,101,,,,,5,2,CHEST PAIN
"""
DIAGNOSIS = """\
subject_id,stay_id,seq_num,icd_code,icd_version,icd_title
10,30,2,4019,9,HYPERTENSION NOS
10,30,1,41401,9,CRNRY ATHRSCL NATVE VSSL
11,31,1,J189,10,PNEUMONIA
"""


def department(folder: Path, **tables: str) -> Path:
    given = {"edstays": EDSTAYS, "triage": TRIAGE, "diagnosis": DIAGNOSIS, **tables}
    (folder / "ed").mkdir()
    for name, text in given.items():
        if text:
            (folder / "ed" / f"{name}.csv").write_text(text)
    return folder


def test_a_stay_has_its_complaint_its_vital_signs_and_its_codes(tmp_path: Path) -> None:
    corpus = formats.read("mimic4_ed", department(tmp_path))
    pairs = pairs_of(corpus)
    by_id = dict(zip(pairs.ids, pairs.records.iter_rows(named=True), strict=True))
    texts = dict(zip(pairs.ids, pairs.texts, strict=True))
    assert texts == {"30": "CHEST PAIN", "31": "Cough, fever"}
    assert by_id["30"]["heartrate"] == 101.0
    assert by_id["31"]["heartrate"] is None
    assert by_id["31"]["pain"] == "unable"
    assert by_id["30"]["gender"] == "F"
    assert by_id["30"]["icd"] == "414.01"
    assert by_id["30"]["ccs"] == "101"  # coronary atherosclerosis
    assert by_id["31"]["ccs"] == "RSP002"  # pneumonia, by CCSR
    codes = [(a.chart_id, a.code) for a in corpus.iter_annotations()]
    assert ("30", Code("ICD-9-CM", "401.9")) in codes
    assert ("31", Code("ICD-10-CM", "J18.9")) in codes
    first = next(corpus.iter_notes())
    assert (first.subject_id, first.time) == ("10", "2151-03-04T05:06:07")


def test_what_was_read_is_written_without_loss(tmp_path: Path) -> None:
    corpus = formats.read("mimic4_ed", department(tmp_path))
    assert formats.write("mimic4_ed", corpus, tmp_path / "out") == []
    assert differences(corpus, formats.read("mimic4_ed", tmp_path / "out")) == []
    assert corpus.records is not None
    other = replace(corpus, lazy_records=corpus.records.lazy().with_columns(shoe=pl.lit("44")))
    (loss,) = formats.write("mimic4_ed", other, tmp_path / "more")
    assert "'shoe' of records" in str(loss)


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"triage": ""}, "there is no triage.csv"),
        ({"triage": TRIAGE + "10,99,,,,,,,,,X\n"}, "1 stays of triage are not in edstays"),
        ({"triage": TRIAGE.replace("101", "fast")}, "row 3: heartrate is not a number"),
        (
            {"diagnosis": DIAGNOSIS.replace(",10,PNEU", ",11,PNEU")},
            "row 4: icd_version must be 9 or 10",
        ),
        (
            {"diagnosis": DIAGNOSIS.replace("11,31", "11,39")},
            "row 4: the diagnosis belongs to a stay",
        ),
        ({"edstays": EDSTAYS.replace(",31,", ",30,")}, "row 3: duplicate id '30'"),
    ],
)
def test_tables_that_do_not_fit_are_errors(
    tmp_path: Path, tables: dict[str, str], said: str
) -> None:
    with pytest.raises(FormatError, match=said):
        formats.read("mimic4_ed", department(tmp_path, **tables))


COLUMNS = """\
record_id = "visit"
text = "complaint"
subject_id = "mrn"
[variables]
age = "number"
seen = "date"
dx = { kind = "several", column = "diagnoses", separator = "|" }
"""
VISITS = (
    "visit,mrn,complaint,age,seen,diagnoses,shoe\n1,7,cough,40,2021-09-28,a| b||c,44\n2,7,,,,,\n"
)


def read(folder: Path, columns: str = COLUMNS, visits: str | bytes = VISITS) -> Corpus:
    (folder / "my.toml").write_text(columns)
    file = folder / "visits.csv"
    file.write_bytes(visits if isinstance(visits, bytes) else visits.encode())
    return formats.read("records", file, columns=folder / "my.toml")


def test_named_columns_become_typed_variables(tmp_path: Path) -> None:
    corpus = read(tmp_path)
    assert corpus.records is not None
    assert corpus.records.rows(named=True) == [
        {"record_id": "1", "chart_id": "1", "age": 40.0, "seen": datetime.date(2021, 9, 28),
         "dx": ["a", "b", "c"]},
        {"record_id": "2", "chart_id": "2", "age": None, "seen": None, "dx": None},
    ]  # fmt: skip
    assert [note.subject_id for note in corpus.iter_notes()] == ["7", "7"]


def test_records_of_every_type_come_back(tmp_path: Path) -> None:
    records = pl.DataFrame(
        {
            "record_id": ["a", "b"], "chart_id": ["a", "b"], "age": [1.5, None],
            "text": ["x", None], "seen": [None, datetime.date(2020, 2, 29)],
            "found": [["p", "q"], None], 'odd "name" \x7f': ["1", ""],
        }
    )  # fmt: skip
    corpus = Corpus.of([Note("a", "a", text="x\ny"), Note("b", "b")], records=records)
    assert formats.write("records", corpus, tmp_path / "out") == []
    assert differences(corpus, formats.read("records", tmp_path / "out")) == []
    awkward = records.with_columns(found=pl.Series([["p;q"], []]), n=pl.Series([1, 2]))
    losses = formats.write(
        "records", replace(corpus, lazy_records=awkward.lazy()), tmp_path / "more"
    )
    assert [(loss.what, loss.count) for loss in losses] == [
        ("values of 'found' in records", 2), ("the column 'n' of records", 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("columns", "visits", "said"),
    [
        (COLUMNS.replace("visit", "visits"), VISITS, "there is no column visits; the columns are"),
        (COLUMNS.replace('"number"', '"numbers"'), VISITS, "variables.age"),
        ("text = 1", VISITS, "record_id"),
        ("text = ", VISITS, "not valid TOML"),
        (COLUMNS, VISITS.replace("40", "forty"), "row 2: age is not a number"),
        (COLUMNS, VISITS.replace("2,7", "1,7"), "row 3: duplicate id '1'"),
        (COLUMNS, VISITS.encode() + b"3,\xff,,,,,\n", "byte 0xff is not UTF-8"),
    ],
)
def test_what_does_not_fit_is_said(
    tmp_path: Path, columns: str, visits: str | bytes, said: str
) -> None:
    with pytest.raises(AuscultError, match=said):
        read(tmp_path, columns, visits)


def test_without_names_of_columns_it_says_how_to_give_them(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(VISITS)
    with pytest.raises(FormatError, match="--columns FILE"):
        formats.read("records", tmp_path / "visits.csv")
