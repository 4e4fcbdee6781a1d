"""MIMIC-IV: a folder with hosp/ and note/, or either, whose tables are .csv or .csv.gz.

Read are admissions, patients, diagnoses_icd, procedures_icd and hcpcsevents, and the notes in
discharge and radiology; any may be missing, but admissions or a table of notes must be there.
Tables that lie in the folder itself are found too. A chart is an admission; notes without one
belong to the chart `subject:<subject_id>`. Billing codes are annotations on whole charts, of
ICD-9 or ICD-10 as each row says. Admissions with their patients are records.
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

_NOTES = columns("note_id subject_id hadm_id note_type note_seq charttime storetime text")
_ADMISSIONS = columns(
    "subject_id hadm_id admittime dischtime deathtime admission_type admit_provider_id "
    "admission_location discharge_location insurance language marital_status race edregtime "
    "edouttime hospital_expire_flag"
)
_PATIENTS = columns("subject_id gender anchor_age anchor_year anchor_year_group dod")
_CODES = (
    MimicCodeTable(
        "diagnoses_icd",
        columns("subject_id hadm_id seq_num icd_code icd_version"),
        "icd_code",
        (("9", "ICD-9-CM"), ("10", "ICD-10-CM")),
        "icd_version",
    ),
    MimicCodeTable(
        "procedures_icd",
        columns("subject_id hadm_id seq_num chartdate icd_code icd_version"),
        "icd_code",
        (("9", "ICD-9-PCS"), ("10", "ICD-10-PCS")),
        "icd_version",
    ),
    MimicCodeTable(
        "hcpcsevents",
        columns("subject_id hadm_id chartdate hcpcs_cd seq_num short_description"),
        "hcpcs_cd",
        (("", "CPT"), ("", "HCPCS")),
    ),
)
# Each table of notes with its category and the type that nearly all of its notes have.
_NOTE_TABLES = {"discharge": ("Discharge summary", "DS"), "radiology": ("Radiology", "RR")}
_HOSP_TABLES = ("admissions", "patients", *(table.name for table in _CODES))
EXAMPLE = "mimic-iv-2.2 notes"
NEEDS_NOTES = False
IS_ONE_CORPUS = True


class ReadOptions(FormatOptions):
    """Which notes to read, and what to call whoever gave the codes."""

    annotator: str = Field("billing", description="Annotator name of the new annotations.")
    categories: tuple[str, ...] = Field((), description="Only notes of this category; repeatable.")


class WriteOptions(FormatOptions):
    """Whose codes to write."""

    annotator: str = Field("billing", description="Use this annotator's annotations.")


def read(source: Path, options: ReadOptions) -> Corpus:
    """The corpus in a folder of tables; nothing is in memory until it is used."""
    files = _files(source, "hosp", _HOSP_TABLES) | _files(source, "note", tuple(_NOTE_TABLES))
    if not files.keys() & {"admissions", *_NOTE_TABLES}:
        hint = mimic.subfolder_hint(source, (*_HOSP_TABLES, *_NOTE_TABLES), ("hosp", "note"))
        raise FormatError(
            "the folder has none of hosp/admissions, note/discharge and note/radiology (.csv "
            f"or .csv.gz){hint}",
            source,
        )
    tables = [_read_notes(files[name], name) for name in _NOTE_TABLES if name in files]
    notes = pl.concat([NOTES.to_frame(eager=False), *tables])
    notes = mimic.of_categories(notes, options.categories)
    manifest = Manifest(name=source.name, source="MIMIC-IV tables")
    return read_tables(files, notes, _CODES, options.annotator, manifest)


def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]:
    """Write the tables that the corpus has something for, discharge in any case."""
    losses = Losses()
    notes = _write_notes(corpus.lazy_notes, losses)
    told = pl.concat([rows.select("hadm_id", "subject_id") for rows in notes.values()])
    hosp = write_records(corpus.lazy_records, _ADMISSIONS, _PATIENTS, losses)
    told = hosp.get("admissions", told)
    hosp |= write_codes(corpus.lazy_annotations, _CODES, options.annotator, told, losses)
    tables = {f"note/{name}": rows for name, rows in notes.items()}
    tables |= {f"hosp/{name}": rows for name, rows in hosp.items()}
    for name, rows in tables.items():
        file = target / f"{name}.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        rows.sink_csv(file, maintain_order=True)
    return losses.list()


def _files(source: Path, part: str, names: tuple[str, ...]) -> dict[str, Path]:
    files = mimic.tables_in(source, names)
    if (source / part).is_dir():
        files |= mimic.tables_in(source / part, names)
    return files


def _read_notes(path: Path, table: str) -> pl.LazyFrame:
    needed = ("note_id", "subject_id", "hadm_id", "text")
    others = [column for column in _NOTES if column not in needed]
    filled = [["note_id"], ["hadm_id", "subject_id"]]
    rows = scan(open_csv(path), needed, optional=others, filled=filled)
    return rows.select(**_note(table))


def _note(table: str) -> dict[str, pl.Expr]:
    """A note's columns from those of a table of notes."""
    category, usual = _NOTE_TABLES[table]
    return {
        "note_id": non_empty("note_id"),
        "chart_id": mimic.chart_id(),
        "subject_id": identifier("subject_id"),
        "category": pl.lit(category),
        "time": moment("charttime"),
        "split": pl.lit(None, pl.String),
        "text": pl.col("text"),
        "meta": meta(
            {
                "note_seq": non_empty("note_seq"),
                "note_type": pl.when(non_empty("note_type") != usual).then(pl.col("note_type")),
                "storetime": non_empty("storetime"),
            }
        ),
        "read_by": pl.lit(None, NOTES["read_by"]),
    }


def _write_notes(notes: pl.LazyFrame, losses: Losses) -> dict[str, pl.LazyFrame]:
    kept = with_ids(notes, "notes", ["note_id", "chart_id"], losses)
    counted = kept.group_by("category").len().sort("category").collect(engine="streaming")
    counts = dict(counted.iter_rows())
    known = [category for category, _ in _NOTE_TABLES.values()]
    for category in counts:
        if category in known:
            continue
        kind = "notes without a category" if category is None else f"notes of category {category}"
        losses.add("notes", kind, "left out", counts[category])
    tables = {}
    for name, (category, usual) in _NOTE_TABLES.items():
        if name != "discharge" and category not in counts:
            continue
        time = pl.coalesce(mimic.was_moment(), mimic.was_day())
        written = {
            "note_id": was("note_id"),
            "subject_id": was("subject_id"),
            "hadm_id": mimic.was_admission(),
            "note_type": was_meta("note_type").fill_null(usual),
            "note_seq": was_meta("note_seq"),
            "charttime": time,
            "storetime": was_meta("storetime"),
            "text": was("text"),
        }
        rows = becoming(kept.filter(pl.col("category") == category), written)
        count_changes(rows, _note(name), mimic.NOTE_CHANGES, losses)
        tables[name] = rows.select(_NOTES)
    return tables
