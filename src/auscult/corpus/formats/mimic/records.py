"""The tables of admissions and patients of MIMIC-III and MIMIC-IV: records.

A record is an admission with its patient, or a patient without any. All columns keep their names,
in lower case; those of patients that admissions have too get `patient_` before them.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from auscult.core import FormatError
from auscult.corpus.formats.contract import Losses
from auscult.corpus.formats.mimic.shapes import (
    WITHOUT_ADMISSION,
    identifier,
    stripped,
    with_ids,
    without_nul,
)
from auscult.corpus.formats.shared.tables import check_csv, scan

_PATIENT = "patient_"
_KEYS = ("record_id", "chart_id", "subject_id")


def read_records(admissions: Path | None, patients: Path | None) -> pl.LazyFrame | None:
    """The records in the two tables, or in the one that is there; None without either."""
    if admissions is None and patients is None:
        return None
    return _records(
        None if admissions is None else _read(admissions, "hadm_id"),
        None if patients is None else _read(patients, "subject_id"),
    )


def write_records(
    records: pl.LazyFrame | None,
    admission_columns: tuple[str, ...],
    patient_columns: tuple[str, ...],
    losses: Losses,
) -> dict[str, pl.LazyFrame]:
    """The tables of admissions and of patients, where there is something for them."""
    if records is None:
        return {}
    if not set(_KEYS) <= set(records.collect_schema()):
        count = records.select(pl.len()).collect().item()
        losses.add("records", "records without a chart or a patient", "left out", count)
        return {}
    rows, columns = _held(records, losses)
    of_patient = {
        c for c in columns if _is_of_patient(c, columns, admission_columns, patient_columns)
    }
    of_stay = [c for c in columns if c not in of_patient]
    bare = pl.all_horizontal(
        (pl.col("chart_id") == WITHOUT_ADMISSION + pl.col("subject_id")).fill_null(value=False),
        *(pl.col(c).is_null() for c in of_stay),
    )
    # A patient is in the table of patients alone only when no other record is an admission of it.
    alone = bare & bare.all().over("subject_id")
    clean = rows.with_columns(without_nul(pl.all())).lazy()
    lone = rows.select(alone.sum()).item()
    people = stays = None
    if of_patient or lone:
        named = {c: c.removeprefix(_PATIENT) if c not in patient_columns else c for c in of_patient}
        people = (
            clean.filter(stripped("subject_id").is_not_null())
            .filter(identifier("subject_id").is_first_distinct())
            .select("subject_id", *(pl.col(c).alias(name) for c, name in named.items()))
        )
    if of_stay or lone < rows.height or people is None:
        stays = clean.filter(~alone)
        stays = stays.select(pl.col("chart_id").alias("hadm_id"), "subject_id", *of_stay)
    _count_changes(rows.lazy(), _records(stays, people), columns, losses)
    tables = {}
    if stays is not None:
        tables["admissions"] = _ordered(stays, admission_columns)
    if people is not None:
        tables["patients"] = _ordered(people, patient_columns)
    return tables


def _read(path: Path, key: str) -> pl.LazyFrame:
    """A table with all its columns, in which each row has a key of its own."""
    table = check_csv(path)
    columns = dict.fromkeys(["subject_id", key, *(c.lower() for c in table.columns)])
    for taken in ("record_id", "chart_id"):
        if taken in columns:
            raise FormatError(f"a column {taken}, a name reserved for records", path, row=1)
    rows = scan(table, list(columns), filled=[[key]])
    again = ~rows.select(identifier(key)).collect(engine="streaming")[key].is_first_distinct()
    if (at := again.index_of(True)) is not None:
        raise FormatError(f"duplicate {key}: an earlier row has the same", path, at + 2)
    return rows


def _records(stays: pl.LazyFrame | None, people: pl.LazyFrame | None) -> pl.LazyFrame:
    """Admissions with their patients, then patients without any."""
    shared = {"row_id"} if stays is None else {"row_id", *stays.collect_schema()}
    if people is not None:
        names = [c for c in people.collect_schema() if c != "subject_id"]
        people = people.with_columns(identifier("subject_id")).rename(
            {c: _PATIENT + c for c in names if c in shared}
        )
    if stays is not None:
        stays = stays.with_columns(identifier("subject_id"), record_id=identifier("hadm_id"))
    if people is None:
        assert stays is not None
        joined = stays
    else:
        alone = people if stays is None else people.join(stays, on="subject_id", how="anti")
        joined = alone.with_columns(record_id=WITHOUT_ADMISSION + pl.col("subject_id"))
        if stays is not None:
            admitted = stays.join(people, on="subject_id", how="left", maintain_order="left")
            joined = pl.concat([admitted, joined], how="diagonal")
    return joined.with_columns(chart_id=pl.col("record_id")).select(
        *_KEYS, pl.exclude(*_KEYS, "hadm_id")
    )


def _held(records: pl.LazyFrame, losses: Losses) -> tuple[pl.DataFrame, list[str]]:
    """The records that the tables can hold as text, and the columns beside the keys."""
    columns = []
    for name, kind in records.collect_schema().items():
        if name in _KEYS:
            continue
        if name == "hadm_id" or name != name.upper().lower() or kind.is_nested():
            losses.add(f"records.{name}", f"the column {name} of records", "left out")
            continue
        if kind != pl.String:
            losses.add(
                f"records.{name}",
                f"the column {name} of records, of type {kind}",
                "written as text",
            )
        columns.append(name)
    rows = with_ids(records, "records", ["chart_id"], losses).select(
        pl.col(*_KEYS, *columns).cast(pl.String)
    )
    collected = rows.collect()
    held = collected.filter(identifier("chart_id").is_first_distinct())
    again = collected.height - held.height
    losses.add("records", "further records of a chart", "left out", again)
    return held, columns


def _is_of_patient(
    name: str, columns: list[str], of_stays: tuple[str, ...], of_people: tuple[str, ...]
) -> bool:
    if name.startswith(_PATIENT):
        rest = name.removeprefix(_PATIENT)
        return rest == "row_id" or rest in columns
    return name in of_people and name not in of_stays and _PATIENT + name not in columns


def _ordered(table: pl.LazyFrame, columns: tuple[str, ...]) -> pl.LazyFrame:
    """The table with the published columns first, in their order."""
    there = table.collect_schema().names()
    known = [c for c in columns if c in there]
    return table.select(*known, *(c for c in there if c not in known))


def _count_changes(
    rows: pl.LazyFrame, back: pl.LazyFrame, columns: list[str], losses: Losses
) -> None:
    """Count the values that reading the tables would not give back."""
    again = back.rename({c: f"again: {c}" for c in back.collect_schema()})
    compared = rows.join(again, left_on="chart_id", right_on="again: chart_id", how="left")
    changed = compared.select(
        pl.col(c).ne_missing(pl.col(f"again: {c}")).sum().alias(c)
        for c in ("record_id", "subject_id", *columns)
    )
    for name, count in changed.collect().row(0, named=True).items():
        losses.add(f"records.{name}", f"values of {name} in records", "read back changed", count)
