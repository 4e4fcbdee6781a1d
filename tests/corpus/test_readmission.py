"""Who was readmitted, worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from auscult.core import CorpusError, Note, OptionError
from auscult.corpus import formats
from auscult.corpus.corpus import Corpus
from auscult.corpus.readmission import READMITTED, ReadmissionTask, readmission

STAYS = [
    # chart, patient, admitted, discharged, type, died
    ("1", "ann", "2101-01-01 10:00:00", "2101-01-05 10:00:00", "EMERGENCY", "0"),
    ("2", "ann", "2101-02-04 10:00:00", "2101-02-10 10:00:00", "ELECTIVE", "0"),  # after 30 days
    ("3", "ann", "2101-03-01 10:00:00", "2101-03-02 10:00:00", "URGENT", "0"),  # after 19 days
    ("4", "bob", "2101-01-01 10:00:00", "2101-01-02 10:00:00", "NEWBORN", "0"),
    ("5", "bob", "2101-02-02 10:00:01", "2101-02-03 10:00:00", "EMERGENCY", "1"),  # 31 days
    ("6", "cid", "2101-01-01 10:00:00", "2101-01-09 10:00:00", "EMERGENCY", "0"),
    ("7", "cid", "2101-01-05 10:00:00", "2101-01-20 10:00:00", "URGENT", "0"),  # within stay 6
    ("8", "dot", "2101-06-01 10:00:00", "2101-06-02 10:00:00", "EMERGENCY", "0"),  # the last
    ("9", "dot", None, "2101-01-02 10:00:00", "EMERGENCY", "0"),
]


def hospital(**changes: Any) -> Corpus:
    columns = ["chart_id", "subject_id", "admittime", "dischtime", "admission_type",
               "hospital_expire_flag"]  # fmt: skip
    records = pl.DataFrame(STAYS, schema=columns, orient="row").with_columns(
        record_id=pl.col("chart_id")
    )
    notes = [
        Note(f"n{chart}", chart, patient, "Discharge summary ", "2101-01-01", text="Went home.")
        for chart, patient, *_ in STAYS
    ]
    notes += [
        Note("x1", "1", "ann", "Nursing", text="Slept."),
        Note("x2", "2", "ann", "Discharge summary", "2101-02-12", text="Later."),
        Note("x3", "2", "ann", "Discharge summary", "2101-02-13", text="P.S.",
             meta={"description": "Addendum"}),
        Note("x4", "3", "ann", "Discharge summary", text=" \n"),
    ]  # fmt: skip
    return Corpus.of(notes, records=records, **changes)


def readmitted(task: ReadmissionTask) -> set[str]:
    found = readmission(hospital(), task)
    return {a.note_id or "" for a in found.corpus.iter_annotations()}


def test_notes_followed_by_an_admission_within_30_days() -> None:
    found = readmission(hospital())
    annotations = list(found.corpus.iter_annotations())
    # Exactly 30 days counts, 31 do not; an admission within the stay is none of its own.
    assert {a.note_id for a in annotations} == {"n1", "n2", "x2", "x3"}
    assert {a.code for a in annotations} == {READMITTED}
    assert {a.meta["days"] for a in annotations} == {"30", "19"}
    assert [(step.removed, step.left) for step in found.steps] == [(0, 9), (1, 8), (1, 7), (0, 7)]
    notes = {note.note_id for note in found.corpus.iter_notes()}
    assert notes == {"n1", "n2", "x2", "x3", "n3", "n4", "n5", "n6", "n7"}
    assert (found.notes, found.positive) == (9, 4)


def test_the_variations() -> None:
    assert readmitted(ReadmissionTask(days=31)) == {"n1", "n2", "x2", "x3"}
    assert readmitted(ReadmissionTask(days=32)) == {"n1", "n2", "x2", "x3", "n4"}
    # The elective stay 2 is skipped, and stay 3 comes after 55 days.
    assert readmitted(ReadmissionTask(planned=False)) == {"n2", "x2", "x3"}
    assert readmitted(ReadmissionTask(summaries="last")) == {"n1", "x2"}
    charts = {
        n.chart_id
        for n in readmission(hospital(), ReadmissionTask(newborns=False)).corpus.iter_notes()
    }
    assert charts == {"1", "2", "3", "5", "6", "7"}
    charts = {
        n.chart_id
        for n in readmission(hospital(), ReadmissionTask(deaths=False)).corpus.iter_notes()
    }
    assert charts == {"1", "2", "3", "4", "6", "7"}


def test_patients_stay_in_one_split_unless_asked() -> None:
    splits: dict[str, set[str | None]] = {}
    for note in readmission(hospital()).corpus.iter_notes():
        splits.setdefault(note.subject_id or "", set()).add(note.split)
    assert all(len(found) == 1 for found in splits.values())
    with pytest.warns(UserWarning, match="too optimistic"):
        by_note = readmission(hospital(), ReadmissionTask(by="note", seed=1)).corpus
    ann = {note.split for note in by_note.iter_notes() if note.subject_id == "ann"}
    assert len(ann) > 1


def test_shares_of_the_splits() -> None:
    notes = [Note(f"n{at}", f"{at}", f"p{at}", "Discharge summary", text="a") for at in range(200)]
    rows = [(f"{at}", f"p{at}", "2101-01-01 00:00:00", "2101-01-02 00:00:00") for at in range(200)]
    rows.append(("last", "q", "2102-01-01 00:00:00", "2102-01-02 00:00:00"))
    columns = ["chart_id", "subject_id", "admittime", "dischtime"]
    records = pl.DataFrame(rows, schema=columns, orient="row").with_columns(record_id="chart_id")
    made = readmission(Corpus.of(notes, records=records)).corpus
    counts = dict(made.lazy_notes.group_by("split").len().collect().iter_rows())
    assert counts == {"train": 140, "dev": 30, "test": 30}


def test_what_is_missing_is_said() -> None:
    with pytest.raises(CorpusError, match="the corpus has no records"):
        readmission(Corpus.of([Note("n", "c")]))
    with pytest.raises(
        CorpusError, match=r"needs records with chart_id.*the corpus has record_id, age"
    ):
        readmission(
            Corpus.of([Note("n", "c")], records=pl.DataFrame({"record_id": ["1"], "age": [1]}))
        )
    empty = hospital()
    with pytest.raises(CorpusError, match="No encounter is left: 9 after: admissions"):
        readmission(Corpus(empty.lazy_notes.filter(pl.col("category") == "Nursing"),
                           empty.lazy_annotations, empty.lazy_records))  # fmt: skip
    with pytest.raises(OptionError, match="must be at least 1"):
        ReadmissionTask(days=0)


@pytest.mark.real
def test_the_mimic_demo_has_no_notes_to_label(shared_data: Path) -> None:
    corpus = formats.read("mimic3", shared_data / "mimic3_demo")
    with pytest.raises(CorpusError, match="No encounter is left: 129 after: admissions"):
        readmission(corpus)


@pytest.mark.real
def test_readmissions_in_the_mimic_demo(shared_data: Path) -> None:
    """Against the same question asked of the table in another way."""
    corpus = formats.read("mimic3", shared_data / "mimic3_demo")
    assert corpus.records is not None
    stays = corpus.records.select("chart_id", "subject_id", "admittime", "dischtime")
    notes = [
        Note(c, c, s, "Discharge summary", text="a")
        for c, s in stays.select("chart_id", "subject_id").iter_rows()
    ]
    found = readmission(Corpus.of(notes, records=corpus.records))
    times = stays.with_columns(pl.col("admittime", "dischtime").str.to_datetime())
    pairs = times.join(times, on="subject_id", suffix="_next").filter(
        pl.col("admittime_next") >= pl.col("dischtime"),
        pl.col("chart_id") != pl.col("chart_id_next"),
        pl.col("admittime_next") - pl.col("dischtime") <= pl.duration(days=30),
        pl.col("dischtime") <= times["admittime"].max() - pl.duration(days=30),
    )
    assert {a.chart_id for a in found.corpus.iter_annotations()} == set(pairs["chart_id"])
    assert found.positive > 5
