"""A CSV table of annotations: a code a row, with its begin and end where there is evidence."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import polars as pl

from auscult.codes import normalize
from auscult.core import FormatError, OffsetUnit, Status
from auscult.corpus.formats.shared import rows
from auscult.corpus.formats.shared.tables import CsvTable, check_csv, scan

_WHOLE = r"^\s*([0-9]{1,18})(?:\.0)?\s*$"  # spreadsheets make 5.0 of 5
BETWEEN = ";"
"""The separator between the begins, and between the ends, of a discontinuous span."""


class Columns(Protocol):
    """The options of the reader that concern annotations."""

    @property
    def note_id(self) -> str: ...
    @property
    def chart_id(self) -> str: ...
    @property
    def begin(self) -> str: ...
    @property
    def end(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def system(self) -> str | None: ...
    @property
    def offsets(self) -> OffsetUnit: ...
    @property
    def model_fields_set(self) -> set[str]: ...


def read(
    file: Path, notes: pl.LazyFrame, indexed: pl.DataFrame, options: Columns, *, beside_notes: bool
) -> pl.DataFrame:
    """The rows of a table of annotations, all sound. Beside notes, a row without code is none."""
    table = check_csv(file)
    named = _named(table, options)
    wanted = ["code"]
    if options.model_fields_set & {"begin", "end"} or has(table, named["begin"], named["end"]):
        wanted += ["begin", "end"]
    if options.system is None:
        wanted.append("system")
    found = scan_named(
        table,
        [named[name] for name in wanted],
        [column for name, column in named.items() if name not in wanted],
    ).select(pl.col(column).alias(name) for name, column in named.items())
    found = found.with_columns(canonical_meta).with_row_index("row", offset=2)
    read = (found.filter(pl.col("code").is_not_null()) if beside_notes else found).collect()
    read = read.with_columns(*_codes(read, options.system), _score(read, file), _status(read, file))
    read = read.with_columns(_spans(read, file))
    sound = read.select(pl.col(name).cast(kind) for name, kind in rows.ANNOTATION.items())
    if (problem := rows.annotation_problem(sound, indexed, options.offsets)) is not None:
        raise FormatError(problem[1], file, read["row"][problem[0]])
    if options.offsets is OffsetUnit.CODEPOINT:
        return sound
    return rows.as_codepoints(sound, read["row"].to_list(), notes, options.offsets, file)


def has(table: CsvTable, *columns: str) -> bool:
    """Whether a table has one of the columns, in any case."""
    present = {column.lower() for column in table.columns}
    return any(column.lower() in present for column in columns)


def scan_named(table: CsvTable, needed: Sequence[str], optional: Sequence[str]) -> pl.LazyFrame:
    """The columns of a table; one that is missing says that its name can be given."""
    try:
        return scan(table, needed, optional=optional)
    except FormatError as error:
        if all(has(table, name) for name in needed):
            raise
        named = "Name yours with --note-id-column, --text-column, --code-column and so on."
        raise FormatError(f"{error.problem}. {named}", table.path, 1) from error


def mapped(values: pl.Series, function: Callable[[str], str]) -> pl.Series:
    """A column with a function applied, to each different value once."""
    old = values.unique().drop_nulls().to_list()
    return values.replace(old, [function(value) for value in old])


def _meta(said: str) -> str | None:
    """Meta as a corpus keeps it. A column called meta that is not ours is kept whole."""
    try:
        values = json.loads(said)
        json.dumps(values, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict) or not all(isinstance(v, str) for v in values.values()):
        values = {"meta": said}
    return json.dumps(values, ensure_ascii=False, sort_keys=True) if values else None


canonical_meta = pl.col("meta").map_elements(_meta, return_dtype=pl.String, skip_nulls=True)
"""The column meta as a corpus keeps it."""


def _named(table: CsvTable, options: Columns) -> dict[str, str]:
    """What each column is called in the table. Ids may go by the names the notes' table has."""
    return {
        "note_id": options.note_id if has(table, options.note_id) else "note_id",
        "chart_id": options.chart_id if has(table, options.chart_id) else "chart_id",
        "begin": options.begin,
        "end": options.end,
        "code": options.code,
        **{name: name for name in ("annotator", "system", "score", "status", "meta")},
    }


def _codes(read: pl.DataFrame, system: str | None) -> list[pl.Series]:
    """Systems and codes. A code whose system the table does not say is written as published."""
    if system is None:
        return [read["system"], read["code"]]
    written = mapped(read["code"], lambda code: normalize(system, code))
    unsaid = read["system"].is_null()
    return [read["system"].fill_null(system), written.zip_with(unsaid, read["code"])]


def _score(read: pl.DataFrame, file: Path) -> pl.Series:
    scores = read["score"].cast(pl.Float64, strict=False)
    wrong = scores.is_null() & read["score"].is_not_null() & (read["score"] != "")
    if wrong.any():
        raise FormatError("score must be a number", file, read["row"][wrong.arg_true()[0]])
    return scores


def _status(read: pl.DataFrame, file: Path) -> pl.Series:
    """The column status, unless it is about something else."""
    found = read["status"]
    if found.is_null().all() or found.is_in(list(Status)).any():
        return found
    warnings.warn(
        f"{file}: ignored the column status: it has none of the values {', '.join(Status)}.",
        stacklevel=3,
    )
    return pl.Series("status", [None] * len(found), pl.String)


def _spans(read: pl.DataFrame, file: Path) -> pl.Series:
    """The columns begin and end as lists of spans."""
    number = pl.element().str.extract(_WHOLE).cast(pl.Int64, strict=False)
    ends = read.select(
        pl.col("row"),
        *(
            pl.when(pl.col(name) != "").then(pl.col(name)).str.split(BETWEEN).list.eval(number)
            for name in ("begin", "end")
        ),
    )
    begin, end = pl.col("begin"), pl.col("end")
    unlike = begin.list.len().fill_null(0) != end.list.len().fill_null(0)
    hole = pl.any_horizontal(c.list.eval(pl.element().is_null()).list.any() for c in (begin, end))
    wrong = ends.select(unlike | hole.fill_null(False)).to_series()
    if wrong.any():
        raise FormatError(
            "begin and end must be integers, the same number of each",
            file,
            read["row"][wrong.arg_true()[0]],
        )
    pairs = (
        ends.drop_nulls()
        .explode("begin", "end")
        .select("row", spans=pl.concat_list("begin", "end"))
        .group_by("row", maintain_order=True)
        .agg("spans")
    )
    return ends.join(pairs, on="row", how="left", maintain_order="left")["spans"]
