"""The tables of codes of MIMIC-III and MIMIC-IV: annotations on whole charts."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from auscult.codes import SYSTEMS, normalize
from auscult.core import FormatError, Status
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import Losses
from auscult.corpus.formats.mimic.records import read_records
from auscult.corpus.formats.mimic.shapes import (
    WITHOUT_ADMISSION,
    becoming,
    chart_id,
    count_changes,
    identifier,
    meta,
    non_empty,
    was,
    was_meta,
    with_ids,
)
from auscult.corpus.formats.shared.tables import check_csv, scan
from auscult.corpus.manifest import Manifest
from auscult.corpus.schema import ANNOTATIONS

_CHANGES = {
    "system": (
        "codes that have the form of another code system",
        "read back as codes of that system",
    ),
    "code": (
        "codes with surrounding white space or without their dot",
        "read back trimmed and dotted",
    ),
    "chart_id": ("chart ids of annotations", "read back changed"),
    "note_id": ("annotations on one note", "written for the whole chart"),
    "spans": ("annotations with spans", "the spans are left out"),
    "score": ("annotations with a score", "the score is left out"),
    "meta": ("annotations with meta beyond the table's columns", "that meta is left out"),
}


@dataclass(frozen=True, slots=True)
class MimicCodeTable:
    """A table of codes: its columns as published, which is the code's, and its code systems.

    `systems` are the systems by what the version column says, or by the empty string in a table
    without one. Where several have the same version, a code is of the first whose shape it has.
    """

    name: str
    columns: tuple[str, ...]
    code: str
    systems: tuple[tuple[str, str], ...]
    version: str | None = None

    def read_code(self, raw: str, version: str) -> tuple[str, str] | None:
        """System and value of a code as the table has it; None when the version is unheard of."""
        fitting = [system for v, system in self.systems if v == version]
        for system in fitting[:-1]:
            if SYSTEMS[system].shape.fullmatch(normalize(system, raw)):
                return system, normalize(system, raw)
        return (fitting[-1], normalize(fitting[-1], raw)) if fitting else None

    def write_code(self, system: str, value: str) -> tuple[str, str]:
        """Code and version to write; without its dot unless that would change it."""
        version = next(v for v, s in self.systems if s == system)
        plain = value.replace(".", "")
        return plain if self.read_code(plain, version) == (system, value) else value, version


def read_tables(
    files: Mapping[str, Path],
    notes: pl.LazyFrame,
    tables: Sequence[MimicCodeTable],
    annotator: str,
    manifest: Manifest,
) -> Corpus:
    """The corpus of a folder's tables, its notes read already."""
    records = read_records(files.get("admissions"), files.get("patients"))
    codes = {table: files[table.name] for table in tables if table.name in files}
    charts = records if "admissions" in files else notes
    return Corpus(notes, read_codes(codes, annotator, charts), records, manifest)


def read_codes(
    files: Mapping[MimicCodeTable, Path], annotator: str, charts: pl.LazyFrame | None
) -> pl.LazyFrame:
    """The annotations in tables of codes. Rows without a code are left out, with a warning.

    `charts` has a `chart_id` for each chart whose patient is said elsewhere; for the others the
    patient is kept in the meta.
    """
    tables = [ANNOTATIONS.to_frame(eager=False)]
    if files:
        told = pl.Series("chart_id", [], pl.String)
        if charts is not None:
            told = charts.select("chart_id").unique().collect(engine="streaming")["chart_id"]
        tables += [_read_table(path, table, annotator, told) for table, path in files.items()]
    return pl.concat(tables)


def write_codes(
    annotations: pl.LazyFrame,
    tables: Sequence[MimicCodeTable],
    annotator: str,
    told: pl.LazyFrame,
    losses: Losses,
) -> dict[str, pl.LazyFrame]:
    """An annotator's codes as those of the tables that get any.

    `told` is another table, which tells of the `subject_id` of each `hadm_id` in it.
    """
    counted = annotations.group_by("annotator", "system").len().sort("annotator", "system")
    systems = {system for table in tables for _, system in table.systems}
    for who, system, count in counted.collect(engine="streaming").iter_rows():
        if who != annotator:
            losses.add("annotations", f"annotations by {who}", "left out", count)
        elif system not in systems:
            losses.add("annotations", f"codes of {system}", "left out", count)
    held = annotations.filter(pl.col("annotator") == annotator)
    held = with_ids(held, "annotations", ["chart_id"], losses)
    patients = told.group_by(chart_id="hadm_id").agg(
        patient=pl.col("subject_id").drop_nulls().first()
    )
    written = {table.name: _write_table(held, table, patients, losses) for table in tables}
    return {name: rows for name, rows in written.items() if rows is not None}


def _read_table(
    path: Path, table: MimicCodeTable, annotator: str, charts: pl.Series
) -> pl.LazyFrame:
    version = [] if table.version is None else [table.version]
    needed = ["subject_id", "hadm_id", table.code, *version]
    others = [column for column in table.columns if column not in needed]
    rows = scan(check_csv(path), needed, optional=others, filled=[["hadm_id", "subject_id"]])
    rows = rows.with_columns(
        _raw=pl.col(table.code).str.strip_chars(),
        _version=non_empty(table.version).fill_null("") if table.version else pl.lit(""),
    )
    counted = rows.group_by("_raw", "_version").len().collect(engine="streaming")
    coded = counted.filter(pl.col("_raw") != "")
    known: list[tuple[str | None, ...]] = []
    for raw, number, _ in coded.sort("_raw", "_version").iter_rows():
        found = table.read_code(raw, number)
        if found is None:
            raise _unheard_of(rows, table, number, path)
        known.append((raw, number, *found))
    if skipped := sum(counted["len"]) - sum(coded["len"]):
        warnings.warn(f"{path}: {skipped:,} rows without a code were left out.", stacklevel=2)
    codes = _text_frame(known, ("_raw", "_version", "_system", "_code"))
    annotations = rows.join(codes, on=["_raw", "_version"], how="inner", maintain_order="left")
    told = identifier("hadm_id").is_in(charts.implode())
    return annotations.select(**_annotation(table, annotator, told))


def _write_table(
    annotations: pl.LazyFrame, table: MimicCodeTable, patients: pl.LazyFrame, losses: Losses
) -> pl.LazyFrame | None:
    held = annotations.filter(pl.col("system").is_in([system for _, system in table.systems]))
    distinct = held.select("system", "code").unique().collect(engine="streaming")
    if distinct.is_empty():
        return None
    known: list[tuple[str | None, ...]] = []
    for system, code in distinct.iter_rows():
        raw, number = table.write_code(system, code)
        back = table.read_code(raw.replace("\0", "\ufffd").strip(), number)
        known.append((system, code, raw, number, *(back or (None, None))))
    codes = _text_frame(known, ("system", "code", "raw", "version", "back_system", "back_code"))
    rows = held.join(codes, on=["system", "code"], how="left", maintain_order="left").join(
        patients.with_columns(told=True), on="chart_id", how="left", maintain_order="left"
    )
    chart, outside = was("chart_id"), was("chart_id").str.contains(f"^{WITHOUT_ADMISSION}.")
    written = {column: was_meta(column) for column in table.columns}
    written["hadm_id"] = pl.when(~outside).then(chart)
    written["subject_id"] = (
        pl.when(outside)
        .then(chart.str.strip_prefix(WITHOUT_ADMISSION))
        .otherwise(pl.coalesce(was_meta("subject_id"), was("patient")))
    )
    written[table.code] = was("raw")
    if table.version is not None:
        written[table.version] = was("version")
    rows = becoming(rows, written).with_columns(_system=was("back_system"), _code=was("back_code"))
    told = was("told").fill_null(value=False)
    count_changes(rows, _annotation(table, "", told), _CHANGES, losses)
    return rows.select(table.columns)


def _annotation(table: MimicCodeTable, annotator: str, told: pl.Expr) -> dict[str, pl.Expr]:
    """An annotation's columns from those of the table, its code looked up already."""
    apart = ("subject_id", "hadm_id", table.code, table.version)
    fields = {column: non_empty(column) for column in table.columns if column not in apart}
    # Patients of charts that no other table tells of would be lost.
    fields["subject_id"] = pl.when(~told & (non_empty("hadm_id").is_not_null())).then(
        identifier("subject_id")
    )
    return {
        "annotator": pl.lit(annotator),
        "system": pl.col("_system"),
        "code": pl.col("_code"),
        "chart_id": chart_id(),
        "note_id": pl.lit(None, pl.String),
        "spans": pl.lit(pl.Series([[]], dtype=ANNOTATIONS["spans"])).first(),
        "score": pl.lit(None, pl.Float64),
        "status": pl.lit(Status.GIVEN, ANNOTATIONS["status"]),
        "meta": meta(fields),
    }


def _text_frame(rows: list[tuple[str | None, ...]], names: tuple[str, ...]) -> pl.LazyFrame:
    return pl.LazyFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def _unheard_of(rows: pl.LazyFrame, table: MimicCodeTable, number: str, path: Path) -> FormatError:
    first = rows.with_row_index("_at").filter(
        (pl.col("_raw") != "") & (pl.col("_version") == number)
    )
    at = first.select("_at").head(1).collect(engine="streaming").item()
    known = " or ".join(dict.fromkeys(version for version, _ in table.systems))
    came = repr(number) if len(number) < 8 else "something else"
    return FormatError(f"{table.version} is {came}; expected {known}", path, at + 2)
