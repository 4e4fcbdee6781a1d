"""JSON and CSV that other systems' results were saved as."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auscult.core import FormatError
from auscult.core.files import read_lines, read_text


def kind(file: Path) -> str:
    """How a file's name ends, whether it is packed (.gz) or not.

    >>> kind(Path("found.jsonl.gz")), kind(Path("found.csv"))
    ('.jsonl', '.csv')
    """
    return Path(file.name.removesuffix(".gz")).suffix


def note_id_of(file: Path) -> str:
    """A file's name without its ending: the note it is of, where there is a file a note."""
    return Path(file.name.removesuffix(".gz")).stem


def load_json(file: Path) -> dict[str, Any]:
    """The object in a JSON file; a list comes as that of the key "" """
    found = _parse(read_text(file), file, None)
    if isinstance(found, list):
        return {"": found}
    if not isinstance(found, dict):
        raise FormatError("expected a JSON object or list", file)
    return found


def json_lines(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with one a line, each with its row."""
    for row, line in read_lines(file):
        if line.strip():
            found = _parse(line, file, row)
            if not isinstance(found, dict):
                raise FormatError("expected a JSON object on every line", file, row)
            yield row, found


def csv_rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a table with a header, each with its line."""
    text = read_text(file)
    delimiter = "\t" if kind(file) == ".tsv" else ","
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for found in reader:
            yield reader.line_num, {k: v for k, v in found.items() if k is not None}
    except csv.Error as error:
        raise FormatError(f"is not a table: {error}", file, reader.line_num) from error


def _parse(text: str, file: Path, row: int | None) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError("is not JSON", file, row) from error
