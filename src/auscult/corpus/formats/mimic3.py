"""MIMIC-III: a folder with NOTEEVENTS, ADMISSIONS, PATIENTS and tables of codes, .csv or .csv.gz.

Any of the tables may be missing, but NOTEEVENTS or ADMISSIONS must be there. A chart is an
admission; notes without one belong to the chart `subject:<SUBJECT_ID>`. Billing codes are
annotations on whole charts. Admissions with their patients are records.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
from pydantic import Field

from auscult.core import FormatError
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import FormatOptions, Loss, Losses
from auscult.corpus.formats.mimic import shapes as mimic
from auscult.corpus.formats.mimic.codes import MimicCodeTable, read_tables, write_codes
from auscult.corpus.formats.mimic.records import write_records
from auscult.corpus.formats.mimic.shapes import (
    becoming,
    columns,
    count_changes,
    day,
    identifier,
    meta,
    moment,
    non_empty,
    was,
    was_meta,
    with_ids,
)
from auscult.corpus.formats.shared.tables import open_csv, scan
from auscult.corpus.manifest import Manifest
from auscult.corpus.schema import NOTES

_NOTES = columns(
    "row_id subject_id hadm_id chartdate charttime storetime category description cgid iserror text"
)
_ADMISSIONS = columns(
    "row_id subject_id hadm_id admittime dischtime deathtime admission_type admission_location "
    "discharge_location insurance language religion marital_status ethnicity edregtime edouttime "
    "diagnosis hospital_expire_flag has_chartevents_data"
)
_PATIENTS = columns("row_id subject_id gender dob dod dod_hosp dod_ssn expire_flag")
_ICD = columns("row_id subject_id hadm_id seq_num icd9_code")
_CPT = columns(
    "row_id subject_id hadm_id costcenter chartdate cpt_cd cpt_number cpt_suffix ticket_id_seq "
    "sectionheader subsectionheader description"
)
_CODES = (
    MimicCodeTable("diagnoses_icd", _ICD, "icd9_code", (("", "ICD-9-CM"),)),
    MimicCodeTable("procedures_icd", _ICD, "icd9_code", (("", "ICD-9-PCS"),)),
    MimicCodeTable("cptevents", _CPT, "cpt_cd", (("", "CPT"),)),
)
_TABLES = ("noteevents", "admissions", "patients", *(table.name for table in _CODES))
EXAMPLE = "hospital/mimic3 notes --category 'Discharge summary'"
NEEDS_NOTES = False
IS_ONE_CORPUS = True


class ReadOptions(FormatOptions):
    """Which notes to read, and what to call whoever gave the codes."""

    annotator: str = Field("billing", description="Annotator name of the new annotations.")
    categories: tuple[str, ...] = Field((), description="Only notes of this category; repeatable.")
    keep_errors: bool = Field(
        False,
        description="Keep notes flagged as errors (ISERROR is 1), which published cohorts leave "
        "out.",
    )


class WriteOptions(FormatOptions):
    """Whose codes to write."""

    annotator: str = Field("billing", description="Use this annotator's annotations.")


def read(source: Path, options: ReadOptions) -> Corpus:
    """The corpus in a folder of tables; nothing is in memory until it is used."""
    files = mimic.tables_in(source, _TABLES)
    if "noteevents" not in files and "admissions" not in files:
        hint = mimic.subfolder_hint(source, _TABLES)
        raise FormatError(
            f"the folder has neither NOTEEVENTS nor ADMISSIONS (.csv or .csv.gz){hint}", source
        )
    notes = NOTES.to_frame(eager=False)
    if "noteevents" in files:
        notes = _read_notes(files["noteevents"], options)
    manifest = Manifest(name=source.name, source="MIMIC-III tables")
    return read_tables(files, notes, _CODES, options.annotator, manifest)


def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]:
    """Write the tables that the corpus has something for, NOTEEVENTS in any case."""
    losses = Losses()
    notes = _write_notes(corpus.lazy_notes, losses)
    tables = {"noteevents": notes}
    tables |= write_records(corpus.lazy_records, _ADMISSIONS, _PATIENTS, losses)
    told = tables.get("admissions", notes)
    tables |= write_codes(corpus.lazy_annotations, _CODES, options.annotator, told, losses)
    target.mkdir()
    for name, rows in tables.items():
        rows.rename(str.upper).sink_csv(target / f"{name.upper()}.csv", maintain_order=True)
    return losses.list()


def _read_notes(path: Path, options: ReadOptions) -> pl.LazyFrame:
    needed = ("row_id", "subject_id", "hadm_id", "category", "text")
    others = [column for column in _NOTES if column not in needed]
    filled = [["row_id"], ["hadm_id", "subject_id"]]
    events = scan(open_csv(path), needed, optional=others, filled=filled)
    if not options.keep_errors:
        events = events.filter(~identifier("iserror").eq_missing(pl.lit("1")))
    return mimic.of_categories(events.select(**_note()), options.categories)


def _note() -> dict[str, pl.Expr]:
    """A note's columns from those of NOTEEVENTS."""
    elsewhen = non_empty("charttime").str.head(10) != day("chartdate")
    return {
        "note_id": identifier("row_id"),
        "chart_id": mimic.chart_id(),
        "subject_id": identifier("subject_id"),
        "category": mimic.stripped("category"),
        "time": pl.coalesce(moment("charttime"), day("chartdate")),
        "split": pl.lit(None, pl.String),
        "text": pl.col("text"),
        "meta": meta(
            {
                "cgid": non_empty("cgid"),
                "chartdate": pl.when(elsewhen).then(day("chartdate")),
                "description": non_empty("description"),
                "iserror": non_empty("iserror"),
                "storetime": non_empty("storetime"),
            }
        ),
        "read_by": pl.lit(None, NOTES["read_by"]),
    }


def _write_notes(notes: pl.LazyFrame, losses: Losses) -> pl.LazyFrame:
    written = {
        "row_id": was("note_id"),
        "subject_id": was("subject_id"),
        "hadm_id": mimic.was_admission(),
        "chartdate": pl.coalesce(was_meta("chartdate"), mimic.was_day()),
        "charttime": mimic.was_moment(),
        "storetime": was_meta("storetime"),
        "category": was("category"),
        "description": was_meta("description"),
        "cgid": was_meta("cgid"),
        "iserror": was_meta("iserror"),
        "text": was("text"),
    }
    rows = becoming(with_ids(notes, "notes", ["note_id", "chart_id"], losses), written)
    count_changes(rows, _note(), mimic.NOTE_CHANGES, losses)
    return rows.select(_NOTES)
