"""The tables of a corpus, and the way from values to tables and back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from auscult.core import Annotation, Code, CorpusError, FormatError, Note, Span, Status
from auscult.core.deferred import polars as pl
from auscult.core.names import shown

if TYPE_CHECKING:
    NOTES: pl.Schema
    """`read_by` is null where no reader is recorded."""
    ANNOTATIONS: pl.Schema
else:

    def __getattr__(name):  # NOTES and ANNOTATIONS: see core.deferred
        if name not in ("NOTES", "ANNOTATIONS"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return _notes() if name == "NOTES" else _annotations()


@cache
def _notes() -> pl.Schema:
    return pl.Schema(
        [
            ("note_id", pl.String()),
            ("chart_id", pl.String()),
            ("subject_id", pl.String()),
            ("category", pl.String()),
            ("time", pl.String()),
            ("split", pl.String()),
            ("text", pl.String()),
            ("meta", pl.String()),
            ("read_by", pl.List(pl.String())),
        ]
    )


@cache
def _annotations() -> pl.Schema:
    return pl.Schema(
        [
            ("annotator", pl.String()),
            ("system", pl.String()),
            ("code", pl.String()),
            ("chart_id", pl.String()),
            ("note_id", pl.String()),
            ("spans", pl.List(pl.Struct({"begin": pl.Int64(), "end": pl.Int64()}))),
            ("score", pl.Float64()),
            ("status", pl.Enum(Status)),
            ("meta", pl.String()),
        ]
    )


RECORD_KEY = "record_id"
"""The one column every table of records has; the rest are the discrete variables themselves."""

_BATCH = 2_000


def dump_meta(meta: Mapping[str, str]) -> str | None:
    """A note's or an annotation's meta as its column holds it: JSON, or null for none."""
    return json.dumps(dict(meta), ensure_ascii=False, sort_keys=True) if meta else None


def load_meta(meta: str | None) -> dict[str, str]:
    """The meta of a column's value."""
    return json.loads(meta) if meta else {}


def notes_table(notes: Iterable[Note]) -> pl.DataFrame:
    """Notes as the table `NOTES`."""
    rows = [
        (
            n.note_id,
            n.chart_id,
            n.subject_id,
            n.category,
            n.time,
            n.split,
            n.text,
            dump_meta(n.meta),
            list(n.read_by) or None,
        )
        for n in notes
    ]
    try:
        return pl.DataFrame(rows, schema=_notes(), orient="row")
    except UnicodeEncodeError as error:
        for row in rows:
            if not _encodes(row):
                raise FormatError(
                    f"Note {shown(str(row[0]))} contains half of a surrogate pair, which is not a "
                    "character. Re-export it as UTF-8, or decode its source with errors='replace'."
                ) from error
        raise


def _encodes(row: tuple[str | list[str] | None, ...]) -> bool:
    try:
        for value in row:
            for text in value if isinstance(value, list) else [value or ""]:
                text.encode()
    except UnicodeEncodeError:
        return False
    return True


def annotations_table(annotations: Iterable[Annotation]) -> pl.DataFrame:
    """Annotations as the table `ANNOTATIONS`."""
    rows = [
        (
            a.annotator,
            a.code.system,
            a.code.value,
            a.chart_id,
            a.note_id,
            [{"begin": s.begin, "end": s.end} for s in a.spans],
            a.score,
            a.status,
            dump_meta(a.meta),
        )
        for a in annotations
    ]
    try:
        return pl.DataFrame(rows, schema=_annotations(), orient="row")
    except UnicodeEncodeError as error:
        raise FormatError(
            "An annotation contains half of a surrogate pair, which is not a character. "
            "Re-export its source as UTF-8."
        ) from error


def iter_notes(table: pl.LazyFrame) -> Iterator[Note]:
    """The notes of a table, a batch in memory at a time."""
    for row in _rows(table.select(_notes().names())):
        note_id, chart_id, subject_id, category, time, split, text, meta, read_by = row
        yield Note(
            note_id,
            chart_id,
            subject_id,
            category,
            time,
            text,
            split,
            load_meta(meta),
            tuple(read_by or ()),
        )


def iter_annotations(table: pl.LazyFrame) -> Iterator[Annotation]:
    """The annotations of a table, a batch in memory at a time."""
    for row in _rows(table.select(_annotations().names())):
        yield Annotation(
            annotator=row[0],
            code=Code(row[1], row[2]),
            chart_id=row[3],
            note_id=row[4],
            spans=tuple(Span(s["begin"], s["end"]) for s in row[5] or ()),
            score=row[6],
            status=Status(row[7]),
            meta=load_meta(row[8]),
        )


def _rows(table: pl.LazyFrame) -> Iterator[tuple[Any, ...]]:
    for batch in table.collect_batches(chunk_size=_BATCH, maintain_order=True):
        yield from batch.iter_rows()


def content_digest(tables: Iterable[pl.LazyFrame]) -> str:
    """SHA-256 of tables, a batch in memory at a time.

    Of the rows as JSON: unlike polars' own hashes, they are the same in every version.
    """
    digest = hashlib.sha256()
    for table in tables:
        digest.update(repr(list(table.collect_schema().items())).encode())
        for batch in table.collect_batches(chunk_size=_BATCH, maintain_order=True):
            digest.update(batch.write_ndjson().encode())
    return digest.hexdigest()


def check_records(records: pl.LazyFrame, name: str) -> pl.LazyFrame:
    """The records themselves; an error when nothing says which record is which."""
    columns = records.collect_schema().names()
    if RECORD_KEY not in columns:
        raise CorpusError(
            f"{name} lacks the column {RECORD_KEY}; it has {', '.join(columns) or 'none'}. "
            "Rename the column that identifies a record."
        )
    return records


def check_table(table: pl.LazyFrame, schema: pl.Schema, name: str) -> pl.LazyFrame:
    """The table with its columns in order and of their types; an error says which is not."""
    found = table.collect_schema()
    missing = [column for column in schema if column not in found]
    if missing:
        raise CorpusError(
            f"{name} lacks the column{'s' if len(missing) > 1 else ''} {', '.join(missing)}; "
            f"it has {', '.join(found)}. Import the source again."
        )
    wrong = [c for c, kind in schema.items() if found[c] not in (kind, pl.Null)]
    if wrong:
        raise CorpusError(
            f"{name} has column {wrong[0]} as {found[wrong[0]]}, expected {schema[wrong[0]]}."
        )
    return table.select(pl.col(column).cast(kind) for column, kind in schema.items())
