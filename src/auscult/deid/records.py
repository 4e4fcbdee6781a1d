"""De-identify records: dates are shifted with the notes, names and identifiers are replaced.

Which patient a record is of is told by its column `subject_id`, or by `chart_id`, `hadm_id` or
`note_id` through the notes, in small letters or capitals. A record of nobody is treated as a
patient of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

import polars as pl

from auscult.core.names import require_known
from auscult.deid.columns import KEYS, column_content, key_of, plain
from auscult.deid.lexicon import folded
from auscult.deid.phi_span import PhiKind, PhiPart
from auscult.deid.record_cells import RecordCells
from auscult.deid.scrub import Scrubber

_SHORTEST = 3
_CHARTS = ("chart_id", "hadm_id")


@dataclass(frozen=True, slots=True)
class Owners:
    """Whose the charts and notes are, and what was deleted."""

    by_chart: Mapping[str, str]
    by_note: Mapping[str, str] = field(default_factory=dict)
    latest: Mapping[str, date] = field(default_factory=dict)
    """The date of each patient's last note."""
    deleted_charts: frozenset[str] = frozenset()
    deleted_notes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ScrubbedRecords:
    """The records afterwards, and which columns are as they were."""

    table: pl.DataFrame
    untouched: tuple[str, ...]


def known_names(records: pl.LazyFrame | None, owners: Owners) -> dict[str, dict[str, PhiPart]]:
    """The names that the records tell of each patient, by patient."""
    if records is None:
        return {}
    columns = {
        column: told.part
        for column in records.collect_schema()
        if (told := column_content(column)) is not None and told.kind is PhiKind.NAME
    }
    if not columns:
        return {}
    names: dict[str, dict[str, PhiPart]] = {}
    for row in records.collect().iter_rows(named=True):
        told_here = names.setdefault(_patient(_keys(row), owners), {})
        for column, part in columns.items():
            for word in str(row[column] or "").replace(",", " ").split():
                key = folded(word)
                if len(key) >= _SHORTEST:
                    told_here[key] = PhiPart.GIVEN if part is PhiPart.GIVEN else PhiPart.SURNAME
    return names


def scrub_records(records: pl.LazyFrame, scrubber: Scrubber, owners: Owners) -> ScrubbedRecords:
    """The records without PHI; those of deleted charts and notes are dropped."""
    table = records.collect()
    for column in scrubber.options.drop_columns:
        require_known(column, table.columns, "column of the records")
    table = table.drop(scrubber.options.drop_columns)
    touched: set[str] = set()
    rows = list(_rows(table, scrubber, owners, touched))
    made = pl.DataFrame(rows, schema=_schema(table.schema, scrubber), orient="row", strict=False)
    same = [c for c in table.columns if c not in touched and plain(c) not in KEYS]
    return ScrubbedRecords(made, tuple(same))


def needs_notes(records: pl.LazyFrame | None) -> bool:
    """Whether records name notes, so that whose those are must be known."""
    return records is not None and any(plain(c) == "note_id" for c in records.collect_schema())


def _rows(
    table: pl.DataFrame, scrubber: Scrubber, owners: Owners, touched: set[str]
) -> Iterator[Sequence[object]]:
    made: dict[str, RecordCells] = {}
    for row in table.iter_rows(named=True):
        keys = _keys(row)
        charts = {keys[name] for name in _CHARTS if name in keys}
        if charts & owners.deleted_charts or keys.get("note_id") in owners.deleted_notes:
            continue
        patient = _patient(keys, owners)
        if patient not in made:
            surrogates = scrubber.surrogates(patient)
            made[patient] = RecordCells(surrogates, scrubber.value)
        near = _latest_day(row)
        cells = RecordCells(made[patient].surrogates, scrubber.value, near)
        cells.surrogates.latest = owners.latest.get(patient) or near
        new = [_cell(column, value, cells, scrubber) for column, value in row.items()]
        touched.update(c for c, old, now in zip(row, row.values(), new, strict=True) if old != now)
        yield new


def _cell(column: str, value: object, cells: RecordCells, scrubber: Scrubber) -> object:
    what = key_of(column)
    if value is None or what is None:
        return cells.scrubbed(column, value)
    return scrubber.new_id(str(value), what) if scrubber.options.new_ids else value


def _keys(row: Mapping[str, object]) -> dict[str, str]:
    """The ids of a row by the names of their columns in small letters."""
    return {
        plain(column): str(value)
        for column, value in row.items()
        if value is not None and plain(column) in KEYS
    }


def _latest_day(row: Mapping[str, object]) -> date | None:
    days = (
        value.date() if isinstance(value, datetime) else value
        for value in row.values()
        if isinstance(value, date)
    )
    return max(days, default=None)


def _patient(keys: Mapping[str, str], owners: Owners) -> str:
    if "subject_id" in keys:
        return keys["subject_id"]
    for column in _CHARTS:
        if column in keys:
            return owners.by_chart.get(keys[column], keys[column])
    note = owners.by_note.get(keys.get("note_id", ""))
    if note is not None:
        return note
    return f"record {keys.get('record_id')}"


def _schema(schema: pl.Schema, scrubber: Scrubber) -> pl.Schema:
    """As it was, but for ids that were numbers and are drawn anew."""
    if not scrubber.options.new_ids:
        return schema
    return pl.Schema(
        {c: pl.String() if key_of(c) is not None else kind for c, kind in schema.items()}
    )
