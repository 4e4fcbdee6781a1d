"""Discrete records without their secrets: dates move with the notes, names and numbers go.

Which patient a record is of is told by its column `subject_id`, or by `chart_id` or `hadm_id`
through the chart's notes. A record of nobody is treated as a patient of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime

import polars as pl

from auscult.corpus.deid.found import Found, Kind, Part
from auscult.corpus.deid.lexicon import folded
from auscult.corpus.deid.scrub import Scrubber
from auscult.corpus.deid.surrogates import Surrogates
from auscult.corpus.schema import RECORD_KEY

_GIVEN = frozenset(("first_name", "given_name", "forename", "middle_name"))
_SURNAME = frozenset(("last_name", "surname", "family_name", "maiden_name"))
_WHOLE = frozenset(("name", "patient_name", "full_name"))
_IDS = {RECORD_KEY: "record", "note_id": "note", "row_id": "note", "chart_id": "chart",
        "hadm_id": "chart", "subject_id": "patient"}  # fmt: skip


def known_names(
    records: pl.LazyFrame | None, patients: Mapping[str, str]
) -> dict[str, dict[str, Part]]:
    """The names that the records tell of each patient, by patient; `patients` is by chart."""
    if records is None:
        return {}
    columns = [c for c in records.collect_schema() if c.lower() in _GIVEN | _SURNAME | _WHOLE]
    if not columns:
        return {}
    names: dict[str, dict[str, Part]] = {}
    for row in records.collect().iter_rows(named=True):
        told = names.setdefault(_patient(row, patients), {})
        for column in columns:
            for word in str(row[column] or "").replace(",", " ").split():
                key = folded(word)
                if len(key) > 2:
                    told[key] = Part.GIVEN if column.lower() in _GIVEN else Part.SURNAME
    return names


def scrub_records(
    records: pl.LazyFrame, scrubber: Scrubber, patients: Mapping[str, str], deleted: set[str]
) -> pl.DataFrame:
    """The records of all charts but the deleted, without secrets."""
    table = records.collect()
    rows = list(_rows(table, scrubber, patients, deleted))
    return pl.DataFrame(rows, schema=_schema(table.schema, scrubber), orient="row")


def _rows(
    table: pl.DataFrame, scrubber: Scrubber, patients: Mapping[str, str], deleted: set[str]
) -> Iterator[list[object]]:
    made: dict[str, Surrogates] = {}
    cache: dict[tuple[str, str], str] = {}
    for row in table.iter_rows(named=True):
        if str(row.get("chart_id", "")) in deleted:
            continue
        patient = _patient(row, patients)
        surrogates = made.setdefault(patient, scrubber.surrogates(patient))
        near = next((value for value in row.values() if isinstance(value, date)), None)
        day = near.date() if isinstance(near, datetime) else near
        cells: list[object] = []
        for column, value in row.items():
            lower = column.lower()
            if value is None:
                cells.append(None)
            elif lower in _IDS:
                old = str(value)
                keep = not scrubber.options.new_ids
                cells.append(value if keep else scrubber.new_id(old, _IDS[lower]))
            elif isinstance(value, date):
                cells.append(value + surrogates.offset)
            elif isinstance(value, str):
                key = (patient, f"{lower}\0{value}")
                if key not in cache:
                    cache[key] = _text(lower, value, day, scrubber, surrogates)
                cells.append(cache[key])
            else:
                cells.append(value)
        yield cells


def _text(
    column: str, value: str, day: date | None, scrubber: Scrubber, surrogates: Surrogates
) -> str:
    if column in _GIVEN | _SURNAME | _WHOLE:
        words = value.replace(",", " ").split()
        last = 0 if "," in value else len(words) - 1
        parts = [
            Part.GIVEN if column in _GIVEN or (column in _WHOLE and at != last) else Part.SURNAME
            for at in range(len(words))
        ]
        return " ".join(
            surrogates.replaced(Found(0, 1, Kind.NAME, part), word, day)
            for word, part in zip(words, parts, strict=True)
        )
    return scrubber.value(value, day, surrogates)


def _patient(row: Mapping[str, object], patients: Mapping[str, str]) -> str:
    subject = row.get("subject_id")
    if subject is not None:
        return str(subject)
    for column in ("chart_id", "hadm_id"):
        chart = row.get(column)
        if chart is not None:
            return patients.get(str(chart), str(chart))
    return f"record {row.get(RECORD_KEY)}"


def _schema(schema: pl.Schema, scrubber: Scrubber) -> pl.Schema:
    """As it was, but for ids that were numbers and are drawn anew."""
    if not scrubber.options.new_ids:
        return schema
    return pl.Schema({c: pl.String() if c.lower() in _IDS else kind for c, kind in schema.items()})
