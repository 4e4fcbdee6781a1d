"""Chapters of a classification, as ranges of categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from auscult.codes.systems import is_well_formed, normalize
from auscult.core import Code, FormatError


@dataclass(frozen=True, slots=True)
class Chapter:
    """The categories from `first` to `last`, both included."""

    number: str
    first: str
    last: str
    title: str

    def __str__(self) -> str:
        categories = self.first if self.first == self.last else f"{self.first}–{self.last}"
        return f"{self.title} ({categories})"


def find_chapter(value: str, chapters: Sequence[Chapter]) -> Chapter | None:
    """The chapter a code belongs to, by its first characters; None when it is in none.

    >>> find_chapter("E11.9", [Chapter("4", "E00", "E89", "Endocrine")]).title
    'Endocrine'
    """
    plain = value.strip().upper().replace(".", "")
    for chapter in chapters:
        head = plain[: len(chapter.first)]
        if len(head) == len(chapter.first) and chapter.first <= head <= chapter.last:
            return chapter
    return None


def check_of_system(
    value: str, system: str, chapters: Sequence[Chapter], path: Path, row: int
) -> None:
    """Raise an error when a file's code cannot be of the system: the file is another one's.

    The shape alone does not tell, since undotted codes of one system may look like another's.
    """
    code = Code(system, normalize(system, value))
    if not is_well_formed(code) or find_chapter(value, chapters) is None:
        raise FormatError(
            f"{value[:8]!r} is not a code of {system}: this is a different file", path, row
        )
