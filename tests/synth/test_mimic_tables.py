"""The MIMIC-III tables: MIMIC's columns and quotes, codes that exist, and a bill with errors."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest
from tests.synth.conftest import Hospital, read_table

from auscult.codes import is_known, normalize
from auscult.core import Code
from auscult.corpus import formats
from auscult.synth.write_mimic import COLUMNS


@pytest.mark.real
@pytest.mark.parametrize("table", COLUMNS)
def test_columns_are_those_of_the_demo(hospital: Hospital, shared_data: Path, table: str) -> None:
    with (shared_data / "mimic3_demo" / f"{table}.csv").open(encoding="utf-8") as handle:
        theirs = handle.readline().strip().upper().split(",")
    with (hospital.path / "mimic3" / f"{table}.csv").open(encoding="utf-8") as handle:
        ours = handle.readline().strip()
    assert ours == ",".join(f'"{column}"' for column in theirs)


def test_rows_are_quoted_as_mimic_does(hospital: Hospital) -> None:
    folder = hospital.path / "mimic3"
    patient = (folder / "PATIENTS.csv").read_text(encoding="utf-8").splitlines()[1]
    assert re.fullmatch(r'\d+,\d+,"[FM]",\d{4}-\d\d-\d\d 00:00:00,.*,[01]', patient)
    diagnosis = (folder / "DIAGNOSES_ICD.csv").read_text(encoding="utf-8").splitlines()[1]
    assert re.fullmatch(r'\d+,\d+,\d{6},1,"[0-9EV]\w+"', diagnosis)


def test_keys_lead_from_table_to_table(hospital: Hospital) -> None:
    patients = {row["SUBJECT_ID"] for row in hospital.table("PATIENTS")}
    admissions = {row["HADM_ID"]: row["SUBJECT_ID"] for row in hospital.table("ADMISSIONS")}
    assert set(admissions.values()) == patients
    assert len(patients) == hospital.summary.patients
    for table in ("DIAGNOSES_ICD", "PROCEDURES_ICD", "CPTEVENTS", "NOTEEVENTS"):
        rows = hospital.table(table)
        assert all(admissions[row["HADM_ID"]] == row["SUBJECT_ID"] for row in rows)
        assert len({row["ROW_ID"] for row in rows}) == len(rows)


def test_billed_codes_exist_and_have_titles(hospital: Hospital) -> None:
    for table, titles, system in (
        ("DIAGNOSES_ICD", "D_ICD_DIAGNOSES", "ICD-9-CM"),
        ("PROCEDURES_ICD", "D_ICD_PROCEDURES", "ICD-9-PCS"),
    ):
        told = {row["ICD9_CODE"] for row in hospital.table(titles)}
        for row in hospital.table(table):
            assert "." not in row["ICD9_CODE"]
            assert row["ICD9_CODE"] in told
            assert is_known(Code(system, normalize(system, row["ICD9_CODE"])))


def test_sequences_count_from_one(hospital: Hospital) -> None:
    numbers: dict[str, list[int]] = {}
    for row in hospital.table("DIAGNOSES_ICD"):
        numbers.setdefault(row["HADM_ID"], []).append(int(row["SEQ_NUM"]))
    assert len(numbers) == hospital.summary.admissions
    assert all(found == list(range(1, len(found) + 1)) for found in numbers.values())


def test_times_and_deaths_agree(hospital: Hospital) -> None:
    died = 0
    for row in hospital.table("ADMISSIONS"):
        admitted = datetime.fromisoformat(row["ADMITTIME"])
        left = datetime.fromisoformat(row["DISCHTIME"])
        assert 2099 <= admitted.year <= 2200
        assert admitted <= left
        assert (row["HOSPITAL_EXPIRE_FLAG"] == "1") == bool(row["DEATHTIME"])
        assert (row["DISCHARGE_LOCATION"] == "DEAD/EXPIRED") == bool(row["DEATHTIME"])
        died += bool(row["DEATHTIME"])
    hospital_deaths = sum(bool(row["DOD_HOSP"]) for row in hospital.table("PATIENTS"))
    assert died == hospital_deaths
    assert died > 0


def test_very_old_patients_are_three_hundred(hospital: Hospital) -> None:
    first: dict[str, datetime] = {}
    for row in hospital.table("ADMISSIONS"):
        first.setdefault(row["SUBJECT_ID"], datetime.fromisoformat(row["ADMITTIME"]))
    ages = [
        first[row["SUBJECT_ID"]].year - datetime.fromisoformat(row["DOB"]).year
        for row in hospital.table("PATIENTS")
    ]
    assert all(age <= 90 or age == 300 for age in ages)
    assert 300 in ages


def test_masks_hide_what_identifies(hospital: Hospital) -> None:
    masks = Counter(
        re.sub(r"[\d-]+", "#", mask)
        for text in hospital.texts.values()
        for mask in re.findall(r"\[\*\*(.*?)\*\*\]", text.replace("\n", " "))
    )
    for kind in ("#", "Known lastname #", "Last Name (STitle) #", "Telephone/Fax (#) #",
                 "Location (un) #", "Clip Number (Radiology) #", "Age over # "):  # fmt: skip
        assert masks[kind] > 0, kind
    from auscult.synth.patients import make_patient

    for index in range(40):
        patient = make_patient(hospital.summary.seed, index)
        notes = [r["TEXT"] for r in hospital.table("NOTEEVENTS")[:300]
                 if r["SUBJECT_ID"] == str(patient.subject_id)]  # fmt: skip
        for secret in (patient.phone, patient.street, patient.email, patient.record_number):
            assert not any(secret in text for text in notes)


def test_the_bill_is_not_quite_what_the_notes_support(hospital: Hospital) -> None:
    billed: dict[str, set[str]] = {}
    for table in ("DIAGNOSES_ICD", "PROCEDURES_ICD"):
        for row in hospital.table(table):
            billed.setdefault(row["HADM_ID"], set()).add(table[0] + row["ICD9_CODE"])
    both = supported = on_bill = 0
    for chart in hospital.mdace("Inpatient", "ICD-9"):
        codes = {
            ("P" if a["code_system"] == "ICD-9-PCS" else "D") + a["code"].replace(".", "")
            for note in chart["notes"]
            for a in note["annotations"]
        }
        bill = billed.get(str(chart["hadm_id"]), set())
        both += len(codes & bill)
        supported += len(codes)
        on_bill += len(bill)
    # Between the notes and MIMIC's bills, of whose codes MDACE's coders found 45% in the notes.
    assert 0.6 < both / on_bill < 0.74
    assert 0.78 < both / supported < 0.9


def test_readmissions_show_in_the_times(hospital: Hospital) -> None:
    stays: dict[str, list[tuple[datetime, datetime]]] = {}
    for row in hospital.table("ADMISSIONS"):
        times = (datetime.fromisoformat(row["ADMITTIME"]), datetime.fromisoformat(row["DISCHTIME"]))
        stays.setdefault(row["SUBJECT_ID"], []).append(times)
    soon = sum(
        (after[0] - before[1]).days < 30
        for times in stays.values()
        for before, after in zip(sorted(times), sorted(times)[1:], strict=False)
    )
    assert soon == hospital.summary.readmissions
    assert 0.03 < soon / hospital.summary.admissions < 0.16


def test_the_reader_reads_the_tables(hospital: Hospital) -> None:
    corpus = formats.read("mimic3", hospital.path / "mimic3")
    assert corpus.notes.height == hospital.summary.notes
    texts = {note.note_id: note.text for note in corpus.iter_notes()}
    assert texts == hospital.texts
    systems = Counter(annotation.code.system for annotation in corpus.iter_annotations())
    assert systems["ICD-9-CM"] == len(read_table(hospital.path / "mimic3" / "DIAGNOSES_ICD.csv"))
    assert systems["CPT"] > 0
