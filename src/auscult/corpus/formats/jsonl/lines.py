"""Tables from JSON Lines: quickly through polars where that is exact, else line by line."""

from __future__ import annotations

import json
import math
import mmap
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import PanicException, PolarsError

from auscult.core import FormatError
from auscult.core.files import check_not_utf16
from auscult.corpus.formats.shared import strict_json
from auscult.corpus.formats.shared.strict_json import kind

_BATCH = 5_000
# What polars would read as something else without a word: a value that is no string where a
# string belongs, and meta, whose escapes it loses. Text cannot match: its quotes are escaped.
_NOT_FOR_POLARS = re.compile(
    rb'"(?:note_id|chart_id|subject_id|category|time|text|split|annotator|system|code|status)"\s*:\s*+'
    rb'(?!"|null)|"(?:meta|read_by)"'
)


def scan(file: Path, fields: Mapping[str, pl.DataType]) -> pl.LazyFrame | None:
    """The lines as polars reads them, or None when only reading each by itself will tell.

    Collecting them may fail, and where `doubtful` is true they are not to be relied on: then too
    each is to be read by itself.
    """
    with file.open("rb") as handle:
        if _NOT_FOR_POLARS.search(mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)):
            return None
    return pl.scan_ndjson(file, schema=dict(fields))


def doubtful(fields: Mapping[str, pl.DataType]) -> pl.Expr:
    """Whether a line has NUL, which polars makes of half a surrogate pair."""
    strings = [name for name, dtype in fields.items() if dtype == pl.String()]
    return pl.any_horizontal(pl.col(strings).str.contains("\0", literal=True)).fill_null(False)


def collect(lines: pl.LazyFrame) -> pl.DataFrame | None:
    """The lines, or what was selected of them; None when polars cannot read one."""
    try:
        return lines.collect(engine="streaming")
    except (PolarsError, PanicException, OSError):
        return None


def read(file: Path, fields: Mapping[str, pl.DataType]) -> tuple[pl.DataFrame, list[int]]:
    """The lines, each read by itself, as a table; and the row of the file where each stands."""
    batches: list[pl.DataFrame] = []
    columns: dict[str, list[Any]] = {name: [] for name in fields}
    strings = {name for name, dtype in fields.items() if dtype == pl.String() and name != "meta"}
    rows: list[int] = []

    # polars takes nested lists apart one by one, but decodes their JSON at once
    nested = [name for name, dtype in fields.items() if dtype.is_nested()]
    flat = dict(fields) | dict.fromkeys(nested, pl.String())

    def flush() -> None:
        decoded = (pl.col(name).str.json_decode(fields[name]) for name in nested)
        batches.append(pl.DataFrame(columns, schema=flat).with_columns(decoded))
        for column in columns.values():
            column.clear()

    for row, values in objects(file):
        rows.append(row)
        for name, column in columns.items():
            value = values.get(name)
            if value is not None and not (type(value) is str and name in strings):
                value = _value(name, value, file, row)
            column.append(value)
        if len(rows) % _BATCH == 0:
            flush()
    flush()
    return pl.concat(batches), rows


def objects(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The object of each line that is not blank, with its row."""
    try:
        with file.open("rb") as handle:
            for row, line in enumerate(handle, 1):
                if row == 1:
                    check_not_utf16(line, file)
                raw = line.removeprefix(b"\xef\xbb\xbf") if row == 1 else line
                if raw.strip():
                    yield row, _object(raw, file, row)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", file) from error


def _object(raw: bytes, file: Path, row: int) -> dict[str, Any]:
    values = strict_json.parse(raw, file, row)
    if not isinstance(values, dict):
        raise FormatError(f"a line must be a JSON object; got {kind(values)}", file, row)
    return values


def _value(name: str, value: object, file: Path, row: int) -> Any:
    if name == "spans":
        return _spans(value, file, row)
    if name == "read_by":
        return _names(value, file, row)
    if name == "score":
        return _score(value, file, row)
    if name == "meta":
        return _meta(value, file, row)
    if isinstance(value, int) and not isinstance(value, bool) and name.endswith("_id"):
        return str(value)  # ids are often numbers elsewhere
    raise FormatError(f"{name} must be a string; got {kind(value)}", file, row)


def _spans(value: object, file: Path, row: int) -> str:
    if isinstance(value, list) and all(
        isinstance(pair, list)
        and len(pair) == 2
        and all(type(offset) is int and abs(offset) < 2**63 for offset in pair)
        for pair in value
    ):
        return repr(value)
    raise FormatError("spans must be a list of [begin, end] pairs of integers", file, row)


def _names(value: object, file: Path, row: int) -> str:
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return json.dumps(value, ensure_ascii=False)
    raise FormatError("read_by must be a list of names", file, row)


def _score(value: object, file: Path, row: int) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            score = float(value)
        except OverflowError:
            score = math.inf
        if math.isfinite(score):
            return score
    raise FormatError("score must be a finite number or null", file, row)


def _meta(value: object, file: Path, row: int) -> str | None:
    """Meta as a corpus keeps it: JSON of strings, its keys in order."""
    if not isinstance(value, dict):
        raise FormatError(f"meta must be an object; got {kind(value)}", file, row)
    texts = {
        key: said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        for key, said in value.items()
    }
    return json.dumps(texts, ensure_ascii=False, sort_keys=True) if texts else None
