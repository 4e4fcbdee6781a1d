"""JSON Lines, one object a line: a folder with notes.jsonl, annotations.jsonl or both.

A note has `note_id`, `chart_id`, `subject_id`, `category`, `time`, `text`; an annotation has
`note_id`, `chart_id`, `annotator`, `system`, `code`, `spans` (a list of [begin, end]), `score` and
`status` (given unless it says ranked or asked). Either has `meta`, and a note `split` and `read_by`
(a list of names), when there is something to say. An annotation without
`note_id` speaks of its whole chart. One file alone is told apart by its keys. Records are in
records.jsonl, their columns as they are.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import PanicException, PolarsError
from pydantic import Field

from auscult.core import FormatError, OffsetUnit, OptionError
from auscult.corpus import schema
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import FormatOptions, Loss, Losses
from auscult.corpus.formats.jsonl import lines as jsonl_lines
from auscult.corpus.formats.shared import rows

HOLDS = frozenset({"annotations.status", "notes.read_by"})
_ONLY_IF_SAID = ("split", "read_by", "meta")
_RECORD_TYPES = (pl.String, pl.Int64, pl.Float64, pl.Boolean)
_LINES_PER_BATCH = 5_000


class ReadOptions(FormatOptions):
    """How to read the lines."""

    annotator: str = Field("gold", description="Annotator name of the new annotations.")
    offsets: OffsetUnit = Field(OffsetUnit.CODEPOINT, description="What offsets count.")


class WriteOptions(FormatOptions):
    """Nothing to choose."""


def read(source: Path, options: ReadOptions) -> Corpus:
    """The notes and annotations of a folder, or of one file. Notes that can be stay on disk."""
    files = _files(source)
    notes, indexed = _read_notes(files.get("notes"))
    annotations = _read_annotations(files.get("annotations"), notes, indexed, options)
    records = _read_records(files["records"]) if "records" in files else None
    return Corpus(notes, annotations.lazy(), records)


def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]:  # noqa: ARG001 - none
    """Write the folder, a batch of lines in memory at a time."""
    if target.suffix == ".jsonl":
        raise OptionError("JSON Lines is written as a folder; choose a name without .jsonl.")
    losses = Losses()
    target.mkdir()
    _write_lines(corpus.lazy_notes, rows.NOTE, target / "notes.jsonl")
    score = pl.col("score")
    unsayable = corpus.lazy_all_annotations.select((score.is_nan() | score.is_infinite()).sum())
    losses.add(
        "annotations.score",
        "scores that are not finite numbers",
        "written as null",
        unsayable.collect().item(),
    )
    write_annotations(corpus.lazy_all_annotations, target / "annotations.jsonl")
    if corpus.lazy_records is not None:
        for kind in corpus.lazy_records.collect_schema().dtypes():
            if kind not in _RECORD_TYPES:
                losses.add("records", "column types of records", "written as the nearest JSON type")
        corpus.lazy_records.sink_ndjson(target / "records.jsonl")
    return losses.list()


def write_annotations(annotations: pl.LazyFrame, file: Path) -> None:
    """Write annotations alone, one a line."""
    begin, end = pl.element().struct.field("begin"), pl.element().struct.field("end")
    pairs = annotations.with_columns(pl.col("spans").list.eval(pl.concat_list(begin, end)))
    _write_lines(pairs, rows.ANNOTATION, file)


def _write_lines(table: pl.LazyFrame, fields: Mapping[str, pl.DataType], file: Path) -> None:
    line = pl.struct(name for name in fields if name not in _ONLY_IF_SAID).struct.json_encode()
    for name in (name for name in fields if name in _ONLY_IF_SAID):
        # meta is JSON already; the others have to become so
        said = pl.col(name) if name == "meta" else _json_value(name)
        longer = pl.concat_str(line.str.head(-1), pl.lit(f',"{name}":'), said, pl.lit("}"))
        line = pl.when(pl.col(name).is_not_null()).then(longer).otherwise(line)
    lines = table.select(line.alias("line"))
    with file.open("w", encoding="utf-8", newline="\n") as handle:
        for batch in lines.collect_batches(chunk_size=_LINES_PER_BATCH, maintain_order=True):
            handle.writelines(f"{line}\n" for line in batch["line"])


def _json_value(column: str) -> pl.Expr:
    """A column's values as JSON writes them."""
    pair = pl.struct(column).struct.json_encode()
    return pair.str.strip_prefix(f'{{"{column}":').str.head(-1)


def _files(source: Path) -> dict[str, Path]:
    """Which file holds what."""
    if source.is_dir():
        named = {name: source / f"{name}.jsonl" for name in ("notes", "annotations", "records")}
        files = {name: file for name, file in named.items() if file.exists()}
        if not files.keys() & {"notes", "annotations"}:
            raise FormatError("neither notes.jsonl nor annotations.jsonl is in the folder", source)
        for name in files.keys() & {"notes", "annotations"}:
            _first(files[name], rows.NOTE if name == "notes" else rows.ANNOTATION)
        return files
    first = _first(source)
    if not first:
        raise FormatError("the file is empty", source)
    if "code" in first:
        return {"annotations": source}
    if "note_id" in first:
        return {"notes": source}
    raise FormatError(
        "a line must be a note (with note_id) or an annotation (with note_id and code)", source, 1
    )


def _first(file: Path, fields: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The first line's object. Says which of its keys will not be read."""
    first = next((values for _, values in jsonl_lines.objects(file)), {})
    fields = fields or (rows.ANNOTATION if "code" in first else rows.NOTE)
    strange = [key for key in first if key not in fields and key.isidentifier()]
    if strange and {"note_id", "code"} & first.keys():
        warnings.warn(f"{file}: ignored the keys {', '.join(strange)}.", stacklevel=2)
    return first


def _read_notes(file: Path | None) -> tuple[pl.LazyFrame, pl.DataFrame]:
    """The notes, and their index."""
    if file is None or not file.stat().st_size:
        none = schema.notes_table([]).lazy()
        return none, rows.index(none).collect()
    if (scanned := jsonl_lines.scan(file, rows.NOTE)) is not None:
        doubtful = jsonl_lines.doubtful(rows.NOTE).alias("doubtful")
        found = jsonl_lines.collect(rows.index(scanned, doubtful))
        if found is not None and not found["doubtful"].any() and not rows.note_problem(found):
            return rows.finish_notes(scanned), found.drop("doubtful")
    read, lines = jsonl_lines.read(file, rows.NOTE)
    indexed = rows.index(read.lazy()).collect()
    if (problem := rows.note_problem(indexed)) is not None:
        raise FormatError(problem[1], file, lines[problem[0]])
    return rows.finish_notes(read.lazy()), indexed


def _read_annotations(
    file: Path | None, notes: pl.LazyFrame, indexed: pl.DataFrame, options: ReadOptions
) -> pl.DataFrame:
    if file is None or not file.stat().st_size:
        return schema.annotations_table([])
    unit, annotator = options.offsets, options.annotator
    plain = unit is OffsetUnit.CODEPOINT
    if plain and (scanned := jsonl_lines.scan(file, rows.ANNOTATION)) is not None:
        found = jsonl_lines.collect(scanned)
        if (
            found is not None
            and not found.select(jsonl_lines.doubtful(rows.ANNOTATION).any()).item()
            and not rows.annotation_problem(found, indexed, unit)
        ):
            return rows.finish_annotations(found, indexed, annotator)
    read, lines = jsonl_lines.read(file, rows.ANNOTATION)
    if (problem := rows.annotation_problem(read, indexed, unit)) is not None:
        raise FormatError(problem[1], file, lines[problem[0]])
    if not plain:
        read = rows.as_codepoints(read, lines, notes, unit, file)
    return rows.finish_annotations(read, indexed, annotator)


def _read_records(file: Path) -> pl.LazyFrame:
    try:
        read = pl.read_ndjson(file, infer_schema_length=None)
    except (PolarsError, PanicException, OSError) as error:
        for _ in jsonl_lines.objects(file):
            pass  # a line that is not JSON says so itself
        raise FormatError(
            "the lines have inconsistent types and do not form one table of records", file
        ) from error
    if schema.RECORD_KEY not in read.columns:
        raise FormatError(f"a record needs a {schema.RECORD_KEY}", file, row=1)
    return read.lazy()
