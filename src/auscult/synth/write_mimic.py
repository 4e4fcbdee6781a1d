"""The hospital as MIMIC-III tables: upper-case headers, MIMIC's columns, quotes and gaps."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from datetime import date, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from auscult.codes import describe
from auscult.core import Code
from auscult.synth.billing import Bill
from auscult.synth.charts import WrittenChart
from auscult.synth.clinical_tables import ClinicalTables
from auscult.synth.patients import Patient
from auscult.synth.random_draws import RandomDraws
from auscult.synth.stay import Admission

Value = int | str | date | datetime | None

COLUMNS = {
    "PATIENTS": "ROW_ID SUBJECT_ID GENDER DOB DOD DOD_HOSP DOD_SSN EXPIRE_FLAG",
    "ADMISSIONS": "ROW_ID SUBJECT_ID HADM_ID ADMITTIME DISCHTIME DEATHTIME ADMISSION_TYPE "
    "ADMISSION_LOCATION DISCHARGE_LOCATION INSURANCE LANGUAGE RELIGION MARITAL_STATUS ETHNICITY "
    "EDREGTIME EDOUTTIME DIAGNOSIS HOSPITAL_EXPIRE_FLAG HAS_CHARTEVENTS_DATA",
    "DIAGNOSES_ICD": "ROW_ID SUBJECT_ID HADM_ID SEQ_NUM ICD9_CODE",
    "PROCEDURES_ICD": "ROW_ID SUBJECT_ID HADM_ID SEQ_NUM ICD9_CODE",
    "CPTEVENTS": "ROW_ID SUBJECT_ID HADM_ID COSTCENTER CHARTDATE CPT_CD CPT_NUMBER CPT_SUFFIX "
    "TICKET_ID_SEQ SECTIONHEADER SUBSECTIONHEADER DESCRIPTION",
    "NOTEEVENTS": "ROW_ID SUBJECT_ID HADM_ID CHARTDATE CHARTTIME STORETIME CATEGORY DESCRIPTION "
    "CGID ISERROR TEXT",
    "D_ICD_DIAGNOSES": "ROW_ID ICD9_CODE SHORT_TITLE LONG_TITLE",
    "D_ICD_PROCEDURES": "ROW_ID ICD9_CODE SHORT_TITLE LONG_TITLE",
}
_TRAILING_SPACE = ("Physician", "Respiratory")
"""Categories that MIMIC-III writes with a space at the end."""
_SECTIONS = (
    (99201, 99499, "Evaluation and management", "Hospital inpatient services"),
    (90281, 99199, "Medicine", "Cardiovascular"),
    (70010, 79999, "Radiology", "Diagnostic radiology"),
    (10021, 69990, "Surgery", "Cardiovascular system"),
)


def row(values: Iterable[Value]) -> str:
    """A line of a table: text quoted, numbers and times unquoted, missing values empty.

    >>> row([7, 'the "flu", twice', None, datetime(2151, 3, 4, 5, 6)]).strip()
    '7,"the ""flu"", twice",,2151-03-04 05:06:00'
    """
    cells = []
    for value in values:
        if value is None or value == "":
            cells.append("")
        elif isinstance(value, str):
            cells.append('"' + value.replace('"', '""') + '"')
        else:
            cells.append(str(value))
    return ",".join(cells) + "\n"


class MimicWriter:
    """Writes the tables patient by patient."""

    def __init__(self, folder: Path, known: ClinicalTables) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._known = known
        self._stack = ExitStack()
        self._files: dict[str, IO[str]] = {}
        self.rows = dict.fromkeys(COLUMNS, 0)

    def __enter__(self) -> Self:
        for table, columns in COLUMNS.items():
            path = self._folder / f"{table}.csv"
            file = self._stack.enter_context(path.open("w", encoding="utf-8", newline=""))
            file.write(row(columns.split()))
            self._files[table] = file
        self._dictionary()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def _add(self, table: str, row_id: int, *values: Value) -> None:
        self.rows[table] += 1
        self._files[table].write(row((row_id, *values)))

    def patient(self, patient: Patient, stays: list[Admission], dice: RandomDraws) -> None:
        """The row of a patient, whose death shows wherever it happened."""
        last = stays[-1]
        in_hospital = last.discharged if last.died else None
        died = in_hospital
        if died is None and dice.chance(0.22):
            died = last.discharged + timedelta(days=dice.between(20, 2200))
        old = patient.age(stays[0].admitted) > 89
        # MIMIC hides ages over 89 behind a birth date three hundred years back.
        born = (
            patient.born.replace(day=1, year=stays[0].admitted.year - 300) if old else patient.born
        )
        self._add(
            "PATIENTS",
            patient.index + 1,
            patient.subject_id,
            patient.sex,
            _midnight(born),
            _midnight(died) if died else None,
            _midnight(in_hospital) if in_hospital else None,
            _midnight(died) if died and (in_hospital is None or dice.chance(0.7)) else None,
            1 if died else 0,
        )

    def chart(self, chart: WrittenChart, bill: Bill) -> None:
        """The rows of a stay."""
        stay = chart.stay
        patient = stay.patient
        first = 8 * patient.index + stay.number
        emergency = stay.kind == "EMERGENCY"
        self._add(
            "ADMISSIONS",
            first + 1,
            patient.subject_id,
            stay.hadm_id,
            stay.admitted,
            stay.discharged,
            stay.discharged if stay.died else None,
            stay.kind,
            "EMERGENCY ROOM ADMIT" if emergency else "PHYS REFERRAL/NORMAL DELI",
            chart.disposition,
            patient.insurance,
            patient.language,
            patient.religion,
            patient.marital,
            patient.ethnicity,
            stay.admitted - timedelta(minutes=313) if emergency else None,
            stay.admitted - timedelta(minutes=12) if emergency else None,
            self._diagnosis(stay),
            1 if stay.died else 0,
            1,
        )
        for table, codes in (
            ("DIAGNOSES_ICD", bill.diagnoses),
            ("PROCEDURES_ICD", bill.procedures),
        ):
            for at, code in enumerate(codes, 1):
                self._add(table, 64 * first + at, patient.subject_id, stay.hadm_id, at, code)
        for at, (cpt, center) in enumerate(bill.services, 1):
            section, subsection = next(
                ((a, b) for low, high, a, b in _SECTIONS if low <= int(cpt) <= high), ("", "")
            )
            self._add(
                "CPTEVENTS", 64 * first + at, patient.subject_id, stay.hadm_id, center,
                None if center == "ICU" else _midnight(stay.admitted), cpt, int(cpt), None, at,
                section, subsection, None,
            )  # fmt: skip
        for note in chart.notes:
            category = note.category + (" " if note.category in _TRAILING_SPACE else "")
            stored = note.when + timedelta(minutes=9) if note.timed else None
            self._add(
                "NOTEEVENTS",
                note.row_id,
                patient.subject_id,
                stay.hadm_id,
                note.when.date(),
                note.when if note.timed else None,
                stored if note.category != "Radiology" else None,
                category,
                note.description,
                note.author.cgid if note.timed and note.category != "Radiology" else None,
                None,
                note.text,
            )

    def _diagnosis(self, stay: Admission) -> str:
        """What the patient was booked in under: a complaint more often than a diagnosis."""
        if stay.complaints and stay.hadm_id % 5 < 3:
            return self._known.symptoms[stay.complaints[0]].name.upper()
        return self._known.conditions[stay.principal.row].name.upper()

    def _dictionary(self) -> None:
        """Every ICD-9 code of the tables with its titles."""
        known = self._known
        diagnoses = {
            item.icd9: item.name
            for rows in (known.conditions, known.symptoms, known.externals)
            for item in rows.values()
        }
        procedures = {p.icd9: p.name for p in known.procedures.values() if p.icd9}
        for table, system, codes in (
            ("D_ICD_DIAGNOSES", "ICD-9-CM", diagnoses),
            ("D_ICD_PROCEDURES", "ICD-9-PCS", procedures),
        ):
            for at, (code, name) in enumerate(sorted(codes.items()), 1):
                title = describe(Code(system, code)) or name
                self._add(table, at, code.replace(".", ""), title[:24].strip(), title)


def _midnight(when: date | datetime) -> datetime:
    return datetime(when.year, when.month, when.day)
