"""Clinicians' ratings of the importance of words."""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from auscult.core import FormatError, OptionError
from auscult.core.sheets import check_width, read_sheet_rows

Scale = Literal["rating", "rank"]
"""Whether a larger number means that a word matters more (a rating), or less (a rank)."""


@dataclass(frozen=True, slots=True)
class ClinicianRatings:
    """The mean over clinicians for each word; more is more important, whatever the file has."""

    importance: Mapping[str, float] = field(repr=False)
    clinicians: tuple[str, ...] = ()

    def of(self, words: Collection[str]) -> ClinicianRatings:
        """The ratings of some words. Warns of ratings for others; without any it is an error."""
        spelling = {word.lower(): word for word in words}
        kept = {
            spelling[word.lower()]: value
            for word, value in self.importance.items()
            if word.lower() in spelling
        }
        if not kept:
            raise OptionError(
                f"None of the {len(self.importance):,} rated words is among the {len(words):,} "
                "words of interest. Give the ratings of these words, or audit the rated ones."
            )
        extra = len(self.importance) - len(kept)
        if extra:
            warnings.warn(
                f"{extra:,} rated words are not among the words of interest and are left out.",
                stacklevel=2,
            )
        return ClinicianRatings(kept, self.clinicians)


def read_ratings(file: Path, scale: Scale = "rating") -> ClinicianRatings:
    """Ratings from a table: a column `word` and one for each clinician, where cells may be empty.

    Several clinicians are averaged.
    """
    header, rows = read_sheet_rows(file)
    names = [name.lower() for name in header]
    if names.count("word") != 1 or len(header) < 2:
        raise FormatError(
            "expected a column word and one column for each clinician; got "
            f"{', '.join(header) or 'none'}",
            file,
            row=1,
        )
    at = names.index("word")
    found: dict[str, float] = {}
    for number, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        check_width(row, header, file, number)
        word = " ".join(row[at].split()) if at < len(row) else ""
        if not word:
            raise FormatError("a rating without its word", file, number)
        if word in found:
            raise FormatError("the word is already in an earlier row", file, number)
        cells = [cell.strip() for place, cell in enumerate(row) if place != at and cell.strip()]
        values = [_number(cell, file, number) for cell in cells]
        if values:
            mean = math.fsum(values) / len(values)
            found[word] = mean if scale == "rating" else -mean
    if not found:
        raise FormatError("no word has a rating", file)
    return ClinicianRatings(found, tuple(name for place, name in enumerate(header) if place != at))


def _number(cell: str, file: Path, row: int) -> float:
    try:
        value = float(cell.replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FormatError("expected a number as a rating, such as 4 or 2.5", file, row)
    return value
