"""Rows of the Rich Release Format of UMLS: fields between bars, a bar behind each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from auscult.core import FormatError


def split(line: str, columns: Sequence[str], path: Path, row: int) -> list[str]:
    """The fields of a row, each of which ends in a bar."""
    fields = line.split("|")
    if len(fields) != len(columns) + 1 or fields[-1]:
        raise FormatError(
            f"expected {len(columns)} columns ({columns[0]} … {columns[-1]}, each ending in |), "
            f"got {max(0, len(fields) - 1)}. The file is truncated or is not in Rich Release "
            "Format",
            path,
            row,
        )
    if not fields[0]:
        raise FormatError("a row without a CUI", path, row)
    return fields
