"""What the rules need to know of a code, found once for each code and kept.

Every line of an instruction has a number. Of a code, the book says which lines stand over it and
which lines name it; that two codes meet an instruction is then a question of two sets of numbers,
which is what makes checking a whole corpus fast.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache

from auscult.codes.coding_edits.companion_notes import CompanionNote, companion_notes
from auscult.codes.tabular import CodeRange, Instruction, InstructionKind, TabularList
from auscult.codes.tabular.current import tabular_list

# "in diseases classified elsewhere", and not "as the cause of diseases classified elsewhere".
_MANIFESTATION = re.compile(r"\bin\b[^,]*\bclassified elsewhere\b")
_EXCLUDES1 = InstructionKind.EXCLUDES1
_COMPANIONS = (
    InstructionKind.CODE_FIRST,
    InstructionKind.USE_ADDITIONAL,
    InstructionKind.CODE_ALSO,
)


@dataclass(frozen=True, slots=True, eq=False)
class CodeFacts:
    """A code with what the Tabular List has on it.

    `excludes1` are the lines that stand over it, `named_in` all lines that name it, `companions`
    the instructions over it that ask for another code. It is a manifestation when its title says
    that the disease is coded elsewhere. A book has one object for a code, which is the code's hash.
    """

    value: str
    description: str
    is_known: bool
    is_billable: bool
    headings: tuple[str, ...] = ()
    place_titles: tuple[str, ...] = ()
    excludes1: frozenset[int] = frozenset()
    named_in: frozenset[int] = frozenset()
    companions: tuple[CompanionNote, ...] = ()
    is_manifestation: bool = False

    @property
    def category(self) -> str:
        """Its first three characters."""
        return self.value[:3]

    @property
    def is_external_cause(self) -> bool:
        """Whether it is of chapter 20, V00–Y99."""
        return self.value[:1] in set("VWXY")


class CodeBook:
    """The Tabular List as the rules ask for it."""

    def __init__(self, listed: TabularList) -> None:
        self.listed = listed
        self.lines: list[Instruction] = []
        self._standing: dict[tuple[InstructionKind, str], list[int]] = {}
        for line in listed.instructions():
            if line.kind is _EXCLUDES1 or line.kind in _COMPANIONS:
                self._standing.setdefault((line.kind, line.at), []).append(len(self.lines))
                self.lines.append(line)
        self._categories = sorted(
            category
            for block in listed.blocks
            for category in (block.first, *listed.siblings(block.first))
        )
        self._naming = self._by_category()
        self._facts: dict[str, CodeFacts] = {}
        self._places: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        self._notes: dict[str, tuple[CompanionNote, ...]] = {}
        self._shared: dict[frozenset[int], frozenset[int]] = {}

    def facts(self, value: str) -> CodeFacts:
        """What is known of a code, however it is written."""
        written = self.listed.written(value)
        found = self._facts.get(written)
        if found is None:
            found = self._facts[written] = self._find(written)
        return found

    def _find(self, value: str) -> CodeFacts:
        listed = self.listed
        description = listed.describe(value)
        if description is None:
            return CodeFacts(value, "", False, False)
        headings = listed.ancestors(value)
        places, titles = self._above(value[:3])
        line = (*places, *headings, value)
        excludes = [number for at in line for number in self._standing.get((_EXCLUDES1, at), ())]
        return CodeFacts(
            value,
            description,
            True,
            listed.is_billable(value),
            headings,
            titles,
            self._share(frozenset(excludes)),
            self._share(self._names(value)),
            tuple(note for at in line for note in self._companions(at)),
            _MANIFESTATION.search(description) is not None,
        )

    def _above(self, category: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The chapter and the block over a category, as instructions name them; their titles."""
        if category not in self._places:
            chapter, block = self.listed.chapter(category), self.listed.block(category)
            names = (f"chapter {chapter.number}",) if chapter else ()
            titles = (chapter.title,) if chapter else ()
            if block is not None:
                names, titles = (*names, f"block {block.value}"), (*titles, block.title)
            self._places[category] = names, titles
        return self._places[category]

    def _companions(self, at: str) -> tuple[CompanionNote, ...]:
        if at not in self._notes:
            self._notes[at] = tuple(
                note
                for kind in _COMPANIONS
                for note in companion_notes(
                    [(number, self.lines[number]) for number in self._standing.get((kind, at), ())]
                )
            )
        return self._notes[at]

    def _by_category(self) -> dict[str, list[tuple[CodeRange, int]]]:
        naming: dict[str, list[tuple[CodeRange, int]]] = {}
        for number, line in enumerate(self.lines):
            for codes in line.ranges:
                begin = bisect_left(self._categories, codes.first[:3])
                end = bisect_right(self._categories, codes.last[:3])
                for category in self._categories[begin:end]:
                    naming.setdefault(category, []).append((codes, number))
        return naming

    def _names(self, value: str) -> frozenset[int]:
        naming = self._naming.get(value[:3], ())
        return frozenset(number for codes, number in naming if codes.contains(value))

    def _share(self, numbers: frozenset[int]) -> frozenset[int]:
        """One object for equal sets: the codes of a category mostly have the same."""
        return self._shared.setdefault(numbers, numbers)


def code_book() -> CodeBook:
    """The book of the Tabular List in use."""
    return _of_list(tabular_list())


@lru_cache(maxsize=2)
def _of_list(listed: TabularList) -> CodeBook:
    return CodeBook(listed)
