"""Tables with a visit a row: its text is a note, the rest is the record with the same id."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import polars as pl

from auscult.core import FormatError, Note
from auscult.core.names import shown
from auscult.corpus.formats.contract import Losses
from auscult.corpus.schema import RECORD_KEY

Kind = Literal["category", "number", "date", "several"]
SEPARATOR = ";"
_KEYS = (RECORD_KEY, "chart_id")
_DATES = ("%Y-%m-%d", "%m/%d/%Y")


def typed(column: pl.Series, kind: Kind, path: Path, separator: str = SEPARATOR) -> pl.Series:
    """A column of text as what it stands for; an error names the first row that is not that."""
    if kind == "category":
        return column
    given = pl.select(pl.when(column.str.strip_chars() != "").then(column)).to_series()
    if kind == "several":
        parts = given.str.split(separator).list.eval(pl.element().str.strip_chars())
        return parts.list.eval(pl.element().filter(pl.element() != "")).alias(column.name)
    if kind == "number":
        made = given.str.strip_chars().cast(pl.Float64, strict=False)
        wrong = given.is_not_null() & ~made.is_finite().fill_null(False)
        expected = "a number such as 7 or 7.5"
    else:
        tried = [given.str.strip_chars().str.to_date(form, strict=False) for form in _DATES]
        made = pl.select(pl.coalesce(tried)).to_series()
        wrong = given.is_not_null() & made.is_null()
        expected = "a date such as 2021-09-28 or 09/28/2021"
    if (at := wrong.index_of(True)) is not None:
        raise FormatError(f"{column.name} is not {expected}", path, at + 2)
    return made.alias(column.name)


def require_ids(column: pl.Series, path: Path) -> None:
    """An error unless every row has an id of its own."""
    again = ~column.is_first_distinct()
    if (at := again.index_of(True)) is not None:
        raise FormatError(
            f"duplicate id {shown(column[at])}: an earlier row has the same", path, at + 2
        )


def notes(
    ids: pl.Series, texts: pl.Series, **others: pl.Series | None
) -> list[Note]:  # fmt: skip
    """A note for each visit; `others` are columns of further fields of notes."""
    columns = {name: column.to_list() for name, column in others.items() if column is not None}
    charts = columns.pop("chart_id", ids.to_list())
    return [
        Note(
            str(note_id),
            str(chart_id or note_id),
            text=text,
            **{name: values[at] for name, values in columns.items()},
        )
        for at, (note_id, chart_id, text) in enumerate(zip(ids, charts, texts, strict=True))
    ]


def records(
    ids: pl.Series, columns: Mapping[str, pl.Series], charts: pl.Series | None = None
) -> pl.DataFrame:
    """A record for each visit."""
    own = ids if charts is None else pl.select(pl.coalesce(charts, ids)).to_series()
    keys = [ids.alias(RECORD_KEY), own.alias("chart_id")]
    taken = (RECORD_KEY, "chart_id")
    named = [c.alias(f"{name}_" if name in taken else name) for name, c in columns.items()]
    return pl.DataFrame([*keys, *named])


def kind_of(dtype: pl.DataType) -> Kind | None:
    """What a column of records is; None for types that no table of visits has."""
    if dtype == pl.String:
        return "category"
    if dtype.is_numeric():
        return "number"
    if dtype == pl.Date:
        return "date"
    return "several" if dtype == pl.List(pl.String) else None


def kinds_of(records: pl.DataFrame) -> dict[str, Kind]:
    """What each variable of records is; those that cannot be written are left out."""
    kinds = {name: kind_of(records[name].dtype) for name in records.columns if name not in _KEYS}
    return {name: kind for name, kind in kinds.items() if kind is not None}


def as_text(records: pl.DataFrame, kinds: Mapping[str, Kind], prefix: str = "") -> pl.DataFrame:
    """The variables of records as they are written, the first record of each id."""
    columns = [
        records[name].list.join(SEPARATOR) if kind == "several" else records[name].cast(pl.String)
        for name, kind in kinds.items()
    ]
    keyed = pl.DataFrame(
        [records[RECORD_KEY].cast(pl.String), *(c.alias(prefix + c.name) for c in columns)]
    )
    return keyed.filter(pl.col(RECORD_KEY).is_first_distinct())


def sink(table: pl.DataFrame, file: Path, losses: Losses) -> None:
    """Write a table of text; NUL, which no CSV file holds, becomes U+FFFD."""
    strings = pl.col(pl.String)
    nul = sum(table.select(strings.str.count_matches("\0", literal=True).sum()).row(0))
    losses.add("notes.text", "NUL characters in a text, id or record", "written as U+FFFD", nul)
    table.select(strings.str.replace_all("\0", "\ufffd", literal=True)).write_csv(file)
