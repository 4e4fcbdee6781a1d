"""A corpus from the data frames a researcher has: one of notes and perhaps one of annotations.

Columns are found by their names, in any case; a warning names columns that are not used. Whatever a
table does not say has a default: a note without a chart is a chart of its own, and annotations are
`gold`. Rows are counted from 0 in errors, as `iloc` counts them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import polars as pl

from auscult.codes import normalize
from auscult.core import CorpusError, FormatError, OffsetUnit
from auscult.core.names import guess, shown
from auscult.core.plurals import counted
from auscult.corpus import schema
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.shared import rows
from auscult.corpus.manifest import Manifest

_NOTES, _ANNOTATIONS, _RECORDS = "notes", "annotations", "records"
_ALSO = {"chart_id": "hadm_id"}
"""MIMIC's names of the columns."""
_LISTED = 10
"""The most unused columns that a warning names."""
_COLUMNS = {
    _NOTES: (
        "note_id", "chart_id", "subject_id", "category", "time", "split", "text", "read_by", "meta",
    ),
    _ANNOTATIONS: (
        "note_id", "chart_id", "annotator", "system", "code", "begin", "end", "spans", "score",
        "status", "meta",
    ),
}  # fmt: skip


def from_polars(
    notes: pl.DataFrame,
    annotations: pl.DataFrame | None = None,
    records: pl.DataFrame | None = None,
    *,
    system: str | None = None,
    annotator: str = "gold",
    name: str = "",
) -> Corpus:
    """The corpus of polars data frames; `Corpus.from_polars` says which columns they have."""
    found = _named(notes, _NOTES, needed=("note_id", "text"))
    read = found.select(
        *(_id(found, column) for column in ("note_id", "chart_id", "subject_id")),
        *(_plain(found, column, _NOTES) for column in ("category", "split", "text", "meta")),
        _time(found),
        _readers(found),
    )
    indexed = rows.index(read.lazy()).collect()
    if (problem := rows.note_problem(indexed)) is not None:
        raise FormatError(problem[1], _NOTES, problem[0])
    made = schema.annotations_table([])
    if annotations is not None:
        made = _annotations(annotations, indexed, system, annotator)
    if records is not None:
        schema.check_records(records.lazy(), "The table of records")
    return Corpus(
        rows.finish_notes(read.lazy()).collect().lazy(),
        made.lazy(),
        None if records is None else records.lazy(),
        Manifest(name=name),
    )


def from_pandas(notes: Any, annotations: Any = None, records: Any = None, **options: Any) -> Corpus:
    """The corpus of pandas data frames. Columns go over one by one, so pyarrow is not needed."""
    frames = ((notes, _NOTES), (annotations, _ANNOTATIONS), (records, _RECORDS))
    one, two, three = (None if f is None else _from_pandas(f, table) for f, table in frames)
    assert one is not None  # the notes are always given
    return from_polars(one, two, three, **options)


def _from_pandas(frame: Any, table: str) -> pl.DataFrame:
    if not (hasattr(frame, "columns") and hasattr(frame, "iloc")):
        raise CorpusError(
            f"The table of {table} must be a pandas data frame, not {type(frame).__name__}. For "
            "polars there is Corpus.from_polars."
        )
    wanted = {name.lower() for name in (*_COLUMNS.get(table, ()), *_ALSO.values())}
    columns: dict[str, pl.Series] = {}
    for at, label in enumerate(frame.columns):
        name = str(label)
        if table in _COLUMNS and name.lower() not in wanted:
            columns[name] = pl.Series(name, [None] * len(frame), pl.Null)  # only named in messages
            continue
        if name in columns:
            raise CorpusError(f"The table of {table} has two columns named {name}. Rename one.")
        column = frame.iloc[:, at]
        missing = column.isna().tolist()
        values = [
            None if gone else _value(v) for v, gone in zip(column.tolist(), missing, strict=True)
        ]
        if name.lower() in ("code", "text"):
            _require_text(name, values, table)
        columns[name] = pl.Series(name, values, strict=False)
    return pl.DataFrame(columns)


def _require_text(name: str, values: list[Any], table: str) -> None:
    """A column of mixed cells, as spreadsheets give, would become text with its zeros lost."""
    if not any(isinstance(value, str) for value in values):
        return  # numbers throughout are refused with an explanation of their own
    for row, value in enumerate(values, 1):
        if value is not None and not isinstance(value, str):
            raise FormatError(
                f"column {name} has the number {value} among text; numbers lose leading zeros. "
                f"Read the column as text, for instance with dtype={{'{name}': str}}",
                table,
                row,
            )


def _value(value: Any) -> Any:
    """A cell as polars takes it: lists for arrays, and times without their own type."""
    if hasattr(value, "to_pydatetime"):
        return value.to_pydatetime()
    return value.tolist() if hasattr(value, "tolist") else value


def _annotations(
    given: pl.DataFrame, indexed: pl.DataFrame, system: str | None, annotator: str
) -> pl.DataFrame:
    needed = ("code",) if system is not None else ("code", "system")
    found = _named(given, _ANNOTATIONS, needed=needed)
    if found["note_id"].dtype == found["chart_id"].dtype == pl.Null:
        raise CorpusError(
            f"The table of annotations needs a column note_id or chart_id; it has {_listed(given)}"
            ". Rename the one that says where a code was given."
        )
    read = found.select(
        *(_id(found, column) for column in ("note_id", "chart_id")),
        *(_plain(found, column, _ANNOTATIONS) for column in ("annotator", "status", "meta")),
        _plain(found, "system", _ANNOTATIONS),
        _code(found),
        _spans(found),
        _number(found, "score", pl.Float64()),
    )
    read = read.with_columns(pl.col("system").fill_null(pl.lit(system)))
    read = read.with_columns(_written(read)).select(
        pl.col(name).cast(kind) for name, kind in rows.ANNOTATION.items()
    )
    if (problem := rows.annotation_problem(read, indexed, OffsetUnit.CODEPOINT)) is not None:
        raise FormatError(problem[1], _ANNOTATIONS, problem[0])
    _check_places(read, indexed)
    return rows.finish_annotations(read, indexed, annotator)


def _named(frame: pl.DataFrame, table: str, needed: Iterable[str]) -> pl.DataFrame:
    """The columns under our names, null where the table has none; an error for what it needs."""
    if not isinstance(frame, pl.DataFrame):
        raise CorpusError(
            f"The table of {table} must be a polars data frame, not {type(frame).__name__}. For "
            "pandas there is Corpus.from_pandas."
        )
    there: dict[str, str] = {}
    for name in frame.columns:
        if (other := there.setdefault(name.lower(), name)) != name:
            raise CorpusError(f"The table of {table} has both {other} and {name}. Rename one.")
    columns: dict[str, pl.Series] = {}
    for name in _COLUMNS[table]:
        known = there.get(name) or there.get(_ALSO.get(name, ""))
        if known is None and name in needed:
            told = "; or pass system=, such as system='ICD-10-CM'" if name == "system" else ""
            meant = guess(name, _unused(frame, table))
            raise CorpusError(
                f"The table of {table} needs a column {name}; it has {_listed(frame)}.{meant} "
                f"Rename yours to {name}{told}."
            )
        columns[name] = (
            pl.Series(name, [None] * frame.height, pl.Null)
            if known is None
            else frame[known].alias(name)
        )
    _warn_of_unused(frame, table)
    return pl.DataFrame(columns)


def _unused(frame: pl.DataFrame, table: str) -> list[str]:
    """The columns that a corpus has no place for."""
    known = {*_COLUMNS[table], *_ALSO.values()}
    return [name for name in frame.columns if name.lower() not in known]


def _warn_of_unused(frame: pl.DataFrame, table: str) -> None:
    """Name columns that are not used, and what each was perhaps meant to be."""
    if not (unused := _unused(frame, table)):
        return
    there = {name.lower() for name in frame.columns}
    free = [name for name in _COLUMNS[table] if name not in there]
    meant = [f"{name}:{guess(name.lower(), free)}" for name in unused if guess(name.lower(), free)]
    listed = ", ".join(unused[:_LISTED]) + (", …" if len(unused) > _LISTED else "")
    warnings.warn(
        f"{counted(len(unused), 'column')} of the table of {table} "
        f"{'is' if len(unused) == 1 else 'are'} not used: {listed}. "
        f"{' '.join([*meant[:_LISTED], ''])}Rename those that were meant as another, or put them "
        "into the column meta as a JSON object.",
        stacklevel=5,
    )


def _listed(frame: pl.DataFrame) -> str:
    return ", ".join(frame.columns) or "none"


def _id(frame: pl.DataFrame, name: str) -> pl.Series:
    """Ids as text. Whole numbers that came as 10.0, as pandas makes them beside gaps, are 10."""
    column = frame[name]
    if column.dtype.is_float():
        whole = column.cast(pl.Int64, strict=False)
        if (whole.cast(pl.Float64) == column).all():
            column = whole
    if column.dtype.is_nested() or column.dtype == pl.Object:
        raise CorpusError(f"Column {name} must be text or integers, not {column.dtype}.")
    return column.cast(pl.String)


def _plain(frame: pl.DataFrame, name: str, table: str) -> pl.Series:
    column = frame[name]
    if column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    if name in ("category", "split") and (column.dtype.is_integer() or column.dtype == pl.Boolean):
        column = column.cast(pl.String)
    if column.dtype not in (pl.String, pl.Null):
        at = _first(column, lambda value: value is not None and not isinstance(value, str))
        kind = type(column[at]).__name__
        raise FormatError(f"column {name} must be text, not {kind}", table, at)
    return column.cast(pl.String)


def _code(frame: pl.DataFrame) -> pl.Series:
    column = frame["code"]
    if column.dtype.is_numeric():
        raise CorpusError(
            f"The codes in column code are numbers ({column.dtype}), and numbers have lost their "
            "leading zeros: 038.9 became 38.9. Read the column as text, for instance with "
            "dtype={'code': str}."
        )
    return _plain(frame, "code", _ANNOTATIONS)


def _written(read: pl.DataFrame) -> pl.Series:
    """The codes as their systems publish them; each different one is looked at once."""
    pairs = read.select("system", "code").unique().drop_nulls()
    known = {(s, c): normalize(s, c) if s else c for s, c in pairs.iter_rows()}
    both = read.select("system", "code").iter_rows()
    return pl.Series("code", [known.get((s, c), c) for s, c in both], pl.String)


def _time(frame: pl.DataFrame) -> pl.Series:
    column = frame["time"]
    if column.dtype == pl.Date:
        return column.dt.to_string("%Y-%m-%d")
    if column.dtype == pl.Datetime:
        return column.dt.to_string("%Y-%m-%dT%H:%M:%S")
    return _plain(frame, "time", _NOTES)


def _readers(frame: pl.DataFrame) -> pl.Series:
    column = frame["read_by"]
    if column.dtype not in (pl.Null, pl.List(pl.String), pl.List(pl.Null)):
        raise CorpusError(f"Column read_by must hold lists of names, not {column.dtype}.")
    return column.cast(rows.NOTE["read_by"])


def _number(frame: pl.DataFrame, name: str, kind: pl.DataType) -> pl.Series:
    """A column of numbers; an error names the first row that has something else."""
    column = frame[name]
    if column.dtype.is_nested() or column.dtype in (pl.Object, pl.Boolean):
        raise CorpusError(f"Column {name} of the annotations must be numbers, not {column.dtype}.")
    numbers = column.cast(pl.Float64, strict=False)
    wrong = numbers.is_null() & column.is_not_null()
    if kind.is_integer():
        wrong = wrong | (numbers != numbers.round()).fill_null(False)
    if wrong.any():
        what = "an integer" if kind.is_integer() else "a number"
        raise FormatError(f"column {name} must be {what}", _ANNOTATIONS, wrong.arg_true()[0])
    return numbers.cast(kind)


def _spans(frame: pl.DataFrame) -> pl.Series:
    """Begin and end as lists of spans, or the column spans of a corpus's own table."""
    if frame["spans"].dtype != pl.Null:
        pair = pl.element().struct
        try:
            return frame.select(
                pl.col("spans")
                .cast(schema.ANNOTATIONS["spans"])
                .list.eval(pl.concat_list(pair.field("begin"), pair.field("end")))
            ).to_series()
        except pl.exceptions.PolarsError as error:
            raise CorpusError(
                f"Column spans must hold lists of begin and end, not {frame['spans'].dtype}. "
                "For one span per row, use columns begin and end instead."
            ) from error
    begin, end = (_number(frame, name, pl.Int64()) for name in ("begin", "end"))
    if (lone := begin.is_null() != end.is_null()).any():
        at = lone.arg_true()[0]
        lacking = "begin" if begin[at] is None else "end"
        raise FormatError(
            f"column {lacking} is missing: a span needs both begin and end", _ANNOTATIONS, at
        )
    pairs = zip(begin, end, strict=True)
    nested = [None if b is None else [[b, e]] for b, e in pairs] if begin.count() else None
    return pl.Series("spans", nested or [None] * frame.height, rows.ANNOTATION["spans"])


def _check_places(read: pl.DataFrame, indexed: pl.DataFrame) -> None:
    """Annotations are on notes that are there, and on the charts of these notes."""
    known = indexed.select("note_id", of=pl.col("chart_id").fill_null(pl.col("note_id")))
    placed = read.select("note_id", "chart_id").join(
        known, on="note_id", how="left", maintain_order="left"
    )
    lost = placed["note_id"].is_not_null() & placed["of"].is_null()
    if lost.any():
        at = lost.arg_true()[0]
        raise FormatError(
            f"column note_id: there is no note {shown(placed['note_id'][at])} in the table of "
            "notes. Ids must have the same form in both tables",
            _ANNOTATIONS,
            at,
        )
    other = (placed["chart_id"] != placed["of"]).fill_null(False)
    if other.any():
        at = other.arg_true()[0]
        raise FormatError(
            f"column chart_id: note {shown(placed['note_id'][at])} belongs to chart "
            f"{shown(placed['of'][at])}, not {shown(placed['chart_id'][at])}",
            _ANNOTATIONS,
            at,
        )
    charts = placed["chart_id"].drop_nulls()
    if len(charts) and not charts.is_in(known["of"].implode()).any():
        raise CorpusError(
            "No chart_id of the annotations is in the table of notes. Give the notes a column "
            "chart_id (or hadm_id), with ids in the same form in both tables."
        )


def _first(column: pl.Series, holds: Callable[[Any], bool]) -> int:
    return next((at for at, value in enumerate(column) if holds(value)), 0)
