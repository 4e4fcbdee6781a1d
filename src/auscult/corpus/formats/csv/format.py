"""CSV, plain or gzipped, with column names of your own: a table of notes, and one of annotations.

The source is a table of notes, or a folder with notes.csv and annotations.csv. Columns of codes in
the table of notes become annotations of whole notes. A table of annotations has a code a row and,
where there is evidence, its begin and end (`3;15` and `8;20` for a discontinuous one); its rows may
also stand in the table of notes itself, each with its note repeated. A column `status` says which
annotations are no predictions (`ranked`, `asked`), and a column `read_by` who read a note.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import polars as pl
from pydantic import Field

from auscult.codes import normalize
from auscult.core import FormatError, OffsetUnit, OptionError
from auscult.core.names import shown
from auscult.corpus import schema
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import FormatOptions, Loss
from auscult.corpus.formats.csv import annotations as csv_annotations
from auscult.corpus.formats.csv import write as csv_write
from auscult.corpus.formats.shared import name_lists, rows
from auscult.corpus.formats.shared.tables import CsvTable, check_csv, find_table, scan

HOLDS = frozenset({"annotations.status", "notes.read_by"})
_COLUMNS = ("note_id", "text", "chart_id", "subject_id", "category", "time", "split")


class ReadOptions(FormatOptions):
    """Names of the columns, and where the annotations are."""

    flags: ClassVar[Mapping[str, str]] = {
        name: f"--{name.replace('_', '-')}-column"
        for name in (*_COLUMNS, "codes", "begin", "end", "code")
    }
    note_id: str = Field("note_id", description="Column with note ids.")
    text: str = Field("text", description="Column with the text of the notes.")
    chart_id: str = Field("chart_id", description="Column with chart ids; else one chart per note.")
    subject_id: str = Field("subject_id", description="Column with patient ids.")
    category: str = Field("category", description="Column with note categories.")
    time: str = Field("time", description="Column with the time of the note.")
    split: str = Field("split", description="Column with splits.")
    codes: tuple[str, ...] = Field((), description="Column with codes of the whole note.")
    separator: str = Field(";", min_length=1, description="Separator between several codes.")
    system: str | None = Field(None, description="Code system of codes that do not name theirs.")
    records: bool = Field(False, description="Keep all other columns as records.")
    annotations: Path | None = Field(None, description="CSV file of annotations.")
    begin: str = Field("begin", description="Column of annotations with the start of the span.")
    end: str = Field("end", description="Column of annotations with the end of the span.")
    code: str = Field("code", description="Column of annotations with the code.")
    annotator: str = Field("gold", description="Annotator name of the new annotations.")
    offsets: OffsetUnit = Field(OffsetUnit.CODEPOINT, description="What offsets count.")


class WriteOptions(FormatOptions):
    """Nothing to choose."""


def read(source: Path, options: ReadOptions) -> Corpus:
    """The notes of a table, which stay on disk, and their annotations."""
    notes_file, annotations_file, records_file = _files(source, options)
    table = check_csv(notes_file)
    if annotations_file is None and _has_annotations(table, options):
        annotations_file = notes_file
    notes, indexed = _read_notes(table, options, repeated=annotations_file == notes_file)
    found = [_whole_note_codes(table, column, indexed, options) for column in options.codes]
    if annotations_file is not None:
        beside = annotations_file == notes_file
        read = csv_annotations.read(annotations_file, notes, indexed, options, beside_notes=beside)
        found.append(rows.finish_annotations(read, indexed, options.annotator))
    records = None
    if options.records:
        records = _other_columns(table, options)
    elif records_file is not None:
        kept = check_csv(records_file)
        if schema.RECORD_KEY not in kept.columns:
            raise FormatError(f"there is no column {schema.RECORD_KEY}", records_file, row=1)
        records = scan(kept, kept.columns)
    annotations = pl.concat(found) if found else schema.annotations_table([])
    return Corpus(notes, annotations.lazy(), records)


def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]:  # noqa: ARG001 - none
    """Write a folder with notes.csv, annotations.csv and, if there are records, records.csv."""
    if target.suffix in (".csv", ".gz"):
        raise OptionError(
            f"CSV is written as a folder of tables; choose a name without {target.suffix}."
        )
    target.mkdir()
    return csv_write.write(corpus, target)


def _files(source: Path, options: ReadOptions) -> tuple[Path, Path | None, Path | None]:
    if not source.is_dir():
        return source, options.annotations, None
    notes = find_table(source, "notes")
    if notes is None:
        raise FormatError("there is no notes.csv in the folder", source)
    annotations = options.annotations or find_table(source, "annotations")
    return notes, annotations, find_table(source, "records")


def _has_annotations(table: CsvTable, options: ReadOptions) -> bool:
    return all(
        csv_annotations.has(table, name) for name in (options.begin, options.end, options.code)
    )


def _read_notes(
    table: CsvTable, options: ReadOptions, *, repeated: bool
) -> tuple[pl.LazyFrame, pl.DataFrame]:
    """The notes, and their index. `repeated` says that a note has a row for each annotation."""
    named = {field: getattr(options, field) for field in _COLUMNS}
    needed = [
        column
        for field, column in named.items()
        if field in ("note_id", "text") or field in options.model_fields_set
    ]
    optional = [column for column in named.values() if column not in needed]
    read = csv_annotations.scan_named(table, needed, [*optional, "read_by", "meta"])
    notes = read.select(
        *(pl.col(column).alias(field) for field, column in named.items()),
        pl.col("read_by").map_elements(_readers, schema.NOTES["read_by"], skip_nulls=True),
        csv_annotations.canonical_meta,
    )
    if repeated:
        notes = notes.unique(maintain_order=True)
    indexed = rows.index(notes).collect(engine="streaming")
    if (problem := rows.note_problem(indexed)) is not None:
        at, why = problem
        if repeated and (note_id := indexed["note_id"][at]):
            _refuse_variants(read, options.note_id, note_id, table)
        raise FormatError(why, table.path, at + 2)
    return rows.finish_notes(notes), indexed


def _readers(field: str) -> list[str]:
    return list(name_lists.split(field))


def _refuse_variants(read: pl.LazyFrame, column: str, note_id: str, table: CsvTable) -> None:
    """Name the first row of a note that is not as the note's row before."""
    numbered = read.with_row_index("_row").filter(pl.col(column) == note_id)
    variants = numbered.unique(
        subset=read.collect_schema().names(), keep="first", maintain_order=True
    )
    row = variants.select("_row").collect().item(1, 0) + 2
    raise FormatError(
        f"note {shown(note_id)} appears more than once with different text or columns",
        table.path,
        row,
    )


def _whole_note_codes(
    table: CsvTable, column: str, indexed: pl.DataFrame, options: ReadOptions
) -> pl.DataFrame:
    """The annotations of whole notes that a column of codes makes."""
    system = options.system
    if system is None:
        raise OptionError("--codes-column needs --code-system, the code system of the column.")
    found = (
        csv_annotations.scan_named(table, [options.note_id, column], [])
        .select(pl.col(options.note_id).alias("note_id"), pl.col(column).alias("code"))
        .unique(maintain_order=True)
        .with_columns(pl.col("code").str.split(options.separator))
        .explode("code")
        .with_columns(pl.col("code").str.strip_chars())
        .filter(pl.col("code") != "")
        .collect()
    )
    found = found.with_columns(
        csv_annotations.mapped(found["code"], lambda code: normalize(system, code)),
        pl.lit(system).alias("system"),
    )
    missing = [
        pl.lit(None, kind).alias(name)
        for name, kind in rows.ANNOTATION.items()
        if name not in found.columns
    ]
    return rows.finish_annotations(found.with_columns(missing), indexed, options.annotator)


def _other_columns(table: CsvTable, options: ReadOptions) -> pl.LazyFrame:
    """The columns that nothing else is made of, a record a row."""
    used = {getattr(options, field).lower() for field in _COLUMNS} | {"read_by", "meta"}
    used |= {column.lower() for column in options.codes}
    if _has_annotations(table, options):
        used |= {options.begin.lower(), options.end.lower(), options.code.lower()}
    others = [column for column in table.columns if column.lower() not in used]
    note_id, chart_id = options.note_id, options.chart_id
    read = scan(table, [note_id, *others], optional=[chart_id])
    taken = (schema.RECORD_KEY, "chart_id")
    return read.select(
        pl.col(note_id).alias(schema.RECORD_KEY),
        pl.coalesce(chart_id, note_id).alias("chart_id"),
        *(pl.col(c).alias(f"{c}_" if c in taken else c) for c in others),
    ).unique(maintain_order=True)
