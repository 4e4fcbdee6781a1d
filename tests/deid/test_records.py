"""Records without their secrets: every column that tells, whatever its type and its case."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from auscult.core import Note, OptionError
from auscult.corpus import Corpus
from auscult.deid import DeidOptions, ReviewChoice, ReviewDecision, deidentify, review_items

SECRET = {
    "mrn": 4471902,
    "MRN_text": "A-4471",
    "phone": 6172345678,
    "zip": 2139,
    "ZipCode": "02139",
    "town": "cambridge",
    "street_address": "12 elm row",
    "last_name": "quillfeather",
    "patientName": "Quillfeather, Ada",
    "email": "ada@quill.org",
    "hospital": "st elsewhere",
    "employer": "acme",
    "admit_day": 20200311,
    "contact": 6172345679,
    "account_no": "88-12",
}
PLAIN = {"sex": "F", "beds": 3, "weight": 71.5, "icd9_code": 25000001, "ward": "west"}


def scrubbed(rows: list[dict[str, Any]], notes: list[Note], out: Path, **more: Any) -> pl.DataFrame:
    options = more.pop("options", DeidOptions(seed="a long enough seed"))
    table = pl.DataFrame([{"record_id": f"r{at}", **row} for at, row in enumerate(rows)])
    deidentify(Corpus.of(notes, (), table), out, options, **more)
    records = Corpus.open(out).lazy_records
    assert records is not None
    return records.collect()


def note(note_id: str = "n", chart_id: str = "c", patient: str = "p", **more: Any) -> Note:
    return Note(note_id, chart_id, patient, **{"time": "2020-03-11", "text": "No fever.", **more})


@pytest.mark.parametrize("column", list(SECRET))
def test_columns_that_identify_are_replaced(tmp_path: Path, column: str) -> None:
    row = {"chart_id": "c", **SECRET}
    (made,) = scrubbed([row], [note()], tmp_path / "out").iter_rows(named=True)
    assert made[column] != SECRET[column]
    assert type(made[column]) is type(SECRET[column])
    old = {word.lower() for word in str(SECRET[column]).replace(",", " ").split()}
    assert not old & set(str(made[column]).lower().split()) - {"st"}


def test_other_columns_stay_and_are_listed(tmp_path: Path) -> None:
    table = pl.DataFrame([{"record_id": "r", "chart_id": "c", **PLAIN, **SECRET}])
    found = deidentify(Corpus.of([note()], (), table), tmp_path / "out", DeidOptions(seed="s" * 16))
    records = Corpus.open(tmp_path / "out").lazy_records
    assert records is not None
    (made,) = records.collect().iter_rows(named=True)
    assert {name: made[name] for name in PLAIN} == PLAIN
    assert found.untouched_columns == tuple(PLAIN)


def test_columns_can_be_left_out(tmp_path: Path) -> None:
    rows = [{"chart_id": "c", "sex": "F", "beds": 3}]
    options = DeidOptions(seed="s" * 16, drop_columns=("sex",))
    made = scrubbed(rows, [note()], tmp_path / "out", options=options)
    assert made.columns == ["record_id", "chart_id", "beds"]
    with pytest.raises(OptionError, match="no column of the records 'size'"):
        scrubbed(rows, [note()], tmp_path / "x", options=DeidOptions(drop_columns=("size",)))


@pytest.mark.parametrize(
    ("column", "old", "new"),
    [
        ("age", 97, 90),
        ("anchor_age", 300, 90),
        ("age", 90.5, 90.0),
        ("age", 45, 45),
        ("AGE", "97", "90+"),
        ("age", "97.5 years", "90+ years"),
        ("age", "45", "45"),
        ("age_days", 97, 97),
    ],
)
def test_ages_over_89_are_one(tmp_path: Path, column: str, old: object, new: object) -> None:
    made = scrubbed([{"chart_id": "c", column: old}], [note()], tmp_path / "out")
    assert made[column].to_list() == [new]


BORN: dict[str, list[Any]] = {
    "dob": [date(1926, 5, 4), date(1921, 5, 4), date(1950, 5, 4)],
    "birth_date": ["1926-05-04", "1921-05-04", "1950-05-04"],
    "birthDate": ["5/4/1926", "5/4/1921", "5/4/1950"],
    "birth_year": [1926, 1921, 1950],
    "date_of_birth": [datetime(1926, 5, 4, 3), datetime(1921, 5, 4, 3), datetime(1950, 5, 4, 3)],
    "born_date": [19260504, 19210504, 19500504],
}


@pytest.mark.parametrize("column", list(BORN))
def test_a_day_of_birth_does_not_tell_an_age_over_89(tmp_path: Path, column: str) -> None:
    notes = [note(f"n{at}", f"c{at}", f"p{at}") for at in range(3)]
    rows = [{"HADM_ID": f"c{at}", column: born} for at, born in enumerate(BORN[column])]
    made = scrubbed(rows, notes, tmp_path / "out")
    times = {n.chart_id: n.time or "" for n in Corpus.open(tmp_path / "out").iter_notes()}
    ages = []
    for chart, born in made.select("HADM_ID", column).iter_rows():
        year = int(str(born).split("/")[-1] if "/" in str(born) else str(born)[:4])
        ages.append(int(times[chart][:4]) - year)
    assert ages[0] in (90, 91)
    assert ages[1] in (90, 91)
    assert ages[2] in (69, 70, 71)


def test_nor_does_one_in_a_note(tmp_path: Path) -> None:
    notes = [
        note("a", text="DOB 3/4/1928. Retired."),
        note("b", time="2010-01-01", text="DOB 3/4/1928, seen 2010-01-01."),
        note("c", time=None, text="Born March 4, 1928, retired in 1990.", chart_id="d"),
        note("d", patient="q", chart_id="q", time=None, text="DOB: 3/4/1921; seen 3/11/2020."),
        note("e", patient="z", chart_id="z", text="DOB 3/4/1938."),
    ]
    deidentify(Corpus.of(notes), tmp_path / "out", DeidOptions(seed="a long enough seed"))
    made = {n.note_id: n for n in Corpus.open(tmp_path / "out").iter_notes()}
    now = int((made["a"].time or "")[:4])

    def year(note_id: str) -> int:
        words = (made[note_id].text or "").replace(".", " ").replace(";", " ").replace(",", " ")
        return min(
            int(word[-4:]) for word in words.split() if len(word) > 3 and word[-4:].isdigit()
        )

    assert now - year("a") in (90, 91)
    assert year("a") == year("b") == year("c")
    seen = int((made["d"].text or "").rstrip(".")[-4:])
    assert seen - year("d") in (89, 90, 91)
    assert int((made["e"].time or "")[:4]) - year("e") in (81, 82, 83)


@pytest.mark.parametrize("key", ["chart_id", "hadm_id", "HADM_ID", "note_id", "NOTE_ID"])
def test_records_of_what_was_deleted_go(tmp_path: Path, key: str) -> None:
    notes = [
        note("n1", "c1", "p1", text="Seen 2/30/2020."),
        note("n2", "c2", "p2", text="No fever."),
    ]
    (item,) = review_items(Corpus.of(notes))
    decision = ReviewDecision(item.item_id, "n1", ReviewChoice.DELETE)
    ids = ["n1", "n2"] if "note" in key.lower() else ["c1", "c2"]
    rows = [{key: one, "sex": "F"} for one in ids]
    made = scrubbed(rows, notes, tmp_path / "out", decisions=[decision])
    assert made[key].to_list() == ids[1:]


@pytest.mark.parametrize(
    ("key", "value"),
    [("SUBJECT_ID", "p"), ("subject_id", "p"), ("HADM_ID", "c"), ("NOTE_ID", "n")],
)
def test_records_of_one_patient_are_moved_and_named_alike(
    tmp_path: Path, key: str, value: str
) -> None:
    text = "Mr. Hernandez was seen 3/11/2020."
    row = {key: value, "last_name": "Hernandez", "seen": date(2020, 3, 11)}
    made = scrubbed([row, row], [note(text=text)], tmp_path / "out")
    (new,) = Corpus.open(tmp_path / "out").iter_notes()
    assert made["last_name"].n_unique() == made["seen"].n_unique() == 1
    assert made["last_name"][0] in (new.text or "")
    assert made["seen"][0].isoformat() == new.time


def test_lists_and_structures_are_read_too(tmp_path: Path) -> None:
    row = {"chart_id": "c", "calls": [6172345678], "who": {"last_name": "Hernandez", "n": 2}}
    (made,) = scrubbed([row], [note()], tmp_path / "out").iter_rows(named=True)
    assert made["calls"] != [6172345678]
    assert made["who"]["last_name"] != "Hernandez"
    assert made["who"]["n"] == 2


def test_meta_is_read_by_its_keys(tmp_path: Path) -> None:
    notes = [note(meta={"mrn": "4471", "age": "97", "ward": "7 West"})]
    deidentify(Corpus.of(notes), tmp_path / "out", DeidOptions(seed="a long enough seed"))
    (made,) = Corpus.open(tmp_path / "out").iter_notes()
    assert made.meta["mrn"] != "4471"
    assert made.meta["age"] == "90+"
    assert made.meta["ward"] == "7 West"
