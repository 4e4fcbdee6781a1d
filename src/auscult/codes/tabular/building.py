"""From what was read of a Tabular List to the arrays that it is kept in.

Codes are in order, without their dot, so that one is found by bisection and what is below it is
next to it. Chapters, blocks and codes are numbered in one row for the instructions, which stand
at any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.codes.index.strings import pack
from auscult.codes.tabular.entries import InstructionKind

Lines = list[tuple[InstructionKind, str]]
KINDS = tuple(InstructionKind)


@dataclass
class DraftChapter:
    """A chapter with its instructions."""

    number: str
    title: str
    instructions: Lines


@dataclass
class DraftBlock:
    """A block with its instructions, and the number of its chapter."""

    value: str
    title: str
    chapter: int
    instructions: Lines


@dataclass
class DraftEntry:
    """A category, a subcategory or a code."""

    description: str
    billable: bool
    parent: str | None
    block: int
    table: int
    terms: list[str] = field(default_factory=list)
    instructions: Lines = field(default_factory=list)


@dataclass
class DraftTable:
    """A table of 7th characters."""

    at: str
    note: str
    meanings: dict[str, str]


@dataclass
class TabularDraft:
    """All that was read of a list, codes without their dot."""

    release: str
    chapters: list[DraftChapter] = field(default_factory=list)
    blocks: list[DraftBlock] = field(default_factory=list)
    entries: dict[str, DraftEntry] = field(default_factory=dict)
    tables: list[DraftTable] = field(default_factory=list)

    def add_table(self, at: str, note: str, meanings: dict[str, str]) -> int:
        """Add a table of 7th characters; its number."""
        self.tables.append(DraftTable(at, note, meanings))
        return len(self.tables) - 1

    def narrowed(self, number: int, meanings: dict[str, str]) -> int:
        """The number of a table that has only some of another's characters."""
        narrow = DraftTable(self.tables[number].at, self.tables[number].note, meanings)
        if narrow not in self.tables:
            self.tables.append(narrow)
        return self.tables.index(narrow)


def build_arrays(draft: TabularDraft) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a Tabular List."""
    plain = sorted(draft.entries)
    entries = [draft.entries[code] for code in plain]
    number = {code: at for at, code in enumerate(plain)}
    places: list[DraftChapter | DraftBlock | DraftEntry] = [
        *draft.chapters,
        *draft.blocks,
        *entries,
    ]
    lines = [line for place in places for line in place.instructions]
    tables = draft.tables
    arrays: dict[str, npt.NDArray[Any]] = {
        "parent": _whole(-1 if e.parent is None else number[e.parent] for e in entries),
        "block": _whole(e.block for e in entries),
        "table": _whole(e.table for e in entries),
        "billable": np.array([e.billable for e in entries], dtype=np.bool_),
        "block_chapter": _whole(block.chapter for block in draft.blocks),
        "term_begin": _begins([e.terms for e in entries]),
        "instruction_begin": _begins([place.instructions for place in places]),
        "instruction_kind": np.array([KINDS.index(kind) for kind, _ in lines], dtype=np.uint8),
        "table_at": _whole(number[table.at] for table in tables),
        "table_begin": _begins([list(table.meanings) for table in tables]),
    }
    strings: dict[str, Iterable[str]] = {
        "release": [draft.release],
        "value": plain,
        "description": [e.description for e in entries],
        "term": [term for e in entries for term in e.terms],
        "instruction": [text for _, text in lines],
        "chapter_number": [chapter.number for chapter in draft.chapters],
        "chapter_title": [chapter.title for chapter in draft.chapters],
        "block_value": [block.value for block in draft.blocks],
        "block_title": [block.title for block in draft.blocks],
        "table_note": [table.note for table in tables],
        "table_character": [character for table in tables for character in table.meanings],
        "table_meaning": [text for table in tables for text in table.meanings.values()],
    }
    for name, texts in strings.items():
        arrays[f"{name}_blob"], arrays[f"{name}_offsets"] = pack(texts)
    return arrays


def _whole(numbers: Iterable[int]) -> npt.NDArray[np.int32]:
    return np.array(list(numbers), dtype="<i4")


def _begins(lists: Sequence[Sequence[object]]) -> npt.NDArray[np.int32]:
    return _whole([0, *accumulate(map(len, lists))])
