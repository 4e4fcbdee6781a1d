"""Emergency records: variables that fit, complaints that follow from them, planted words."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest
from tests.synth.conftest import Hospital, read_table

from auscult.codes import is_known
from auscult.codes.ccs import read_ccs
from auscult.core import Code
from auscult.synth.clinical_tables import ClinicalTables
from auscult.synth.emergency import COLUMNS

Rows = list[dict[str, str]]


@pytest.fixture(scope="module")
def records(hospital: Hospital) -> Rows:
    return read_table(hospital.path / "emergency" / "records.csv")


def test_every_patient_has_three_records_or_more(hospital: Hospital, records: Rows) -> None:
    visits = Counter(row["subject_id"] for row in records)
    assert len(visits) == hospital.summary.patients
    assert min(visits.values()) >= 3
    assert len({row["record_id"] for row in records}) == len(records)


def test_variables_are_discrete(records: Rows) -> None:
    assert tuple(records[0]) == COLUMNS
    for column in COLUMNS[3:15]:
        values = {row[column] for row in records}
        assert 1 < len(values) <= (400 if column == "icd10" else 15), column
        assert "" not in values
    assert all(is_known(Code("ICD-10-CM", row["icd10"])) for row in records)


@pytest.mark.real
def test_categories_are_those_of_hcup(
    records: Rows, known: ClinicalTables, shared_data: Path
) -> None:
    folder = shared_data / "hcup_ccs"
    published = read_ccs(next(folder.glob("*dx*")), "ICD-9-CM")
    old = {row.icd10: row.icd9 for row in known.conditions.values()}
    old |= {row.icd10: row.icd9 for row in known.symptoms.values()}
    for row in records:
        assert row["ccs"] == published.of(Code("ICD-9-CM", old[row["icd10"]]))
        assert row["ccs_name"]
    assert len({row["ccs"] for row in records}) > 60


def test_those_admitted_are_linked_to_their_stay(hospital: Hospital, records: Rows) -> None:
    stays = {row["HADM_ID"]: row for row in hospital.table("ADMISSIONS")}
    linked = [row for row in records if row["hadm_id"]]
    emergencies = [h for h, row in stays.items() if row["ADMISSION_TYPE"] == "EMERGENCY"]
    assert sorted(row["hadm_id"] for row in linked) == sorted(emergencies)
    for row in linked:
        assert row["disposition"] == "admitted"
        assert stays[row["hadm_id"]]["SUBJECT_ID"] == row["subject_id"]
    assert all(row["disposition"] != "admitted" for row in records if not row["hadm_id"])


def test_complaints_are_short_and_follow_from_the_diagnosis(
    records: Rows, known: ClinicalTables
) -> None:
    words: dict[str, Counter[str]] = defaultdict(Counter)
    for row in records:
        complaint = row["chief_complaint"]
        assert 1 <= len(complaint.split()) <= 20
        assert complaint == complaint.strip()
        for word in set(complaint.lower().split()):
            words[row["icd10"][0]][word] += 1
    assert words["S"]["fall"] + words["S"]["fell"] + words["S"]["s/p"] > words["N"]["fall"]
    lay = {
        phrase.lower()
        for table in (known.conditions, known.symptoms)
        for item in table.values()
        for phrase in item.lay
    }
    told = sum(any(phrase in row["chief_complaint"].lower() for phrase in lay) for row in records)
    assert told > 0.9 * len(records)


def test_complaints_fit_the_other_variables(records: Rows) -> None:
    brought = [r for r in records if "biba" in r["chief_complaint"].lower().split()]
    assert brought
    assert all(row["arrival"] == "ambulance" for row in brought)
    for row in records:
        first = row["chief_complaint"].split()[0].lower()
        if first[:-1].isdigit() and first[-1] in "fm":
            assert first[-1] == row["sex"].lower()


def test_planted_words_are_rare_and_listed(hospital: Hospital, records: Rows) -> None:
    canaries = (hospital.path / "emergency" / "canaries.txt").read_text().splitlines()
    assert len(canaries) == hospital.summary.canaries > 0
    for canary in canaries:
        carriers = [row for row in records if row["chief_complaint"].endswith(canary)]
        assert 1 <= len(carriers) <= 3
        assert len({row["subject_id"] for row in carriers}) == 1
        assert not any(canary.split()[0] in text for text in hospital.texts.values())
