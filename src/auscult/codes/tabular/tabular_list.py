"""The Tabular List of one release: every code with its place, names and instructions.

It is a view of arrays, which may be mapped from disk: opening one makes no object of any code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from auscult.codes.chapters import Chapter
from auscult.codes.index.strings import Numbers, Strings
from auscult.codes.table import CodeEntry
from auscult.codes.tabular.building import KINDS
from auscult.codes.tabular.entries import CodeBlock, Instruction, SeventhCharacters, TabularEntry

LAYOUT = 1
"""The number of the arrays' layout: to be raised when what they hold changes."""
_LONGEST = 7
_FEW = 3_000
"""Different codes that are looked for one by one, before it pays to go through the list."""


class TabularList:
    """ICD-10-CM as the book has it. Codes are looked up however they are written."""

    system = "ICD-10-CM"

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._arrays = arrays
        self._values = self._strings("value")
        self._descriptions = self._strings("description")
        self._parent = arrays["parent"]
        self._billable = arrays["billable"]
        self.release = self._strings("release")[0]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """A list from the arrays of another, such as those mapped from disk."""
        return cls(arrays)

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All that the list is made of."""
        return dict(self._arrays)

    def __repr__(self) -> str:
        return f"TabularList({self.release!r}, {self.billable_count} billable codes)"

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[CodeEntry]:
        """Every category, subcategory and code, in order."""
        return self._rows(range(len(self)))

    def without_seventh(self) -> Iterator[CodeEntry]:
        """Every category, subcategory and code, but those that are made by a 7th character."""
        lengths = np.diff(self._arrays["value_offsets"])
        made = (lengths == _LONGEST) & (self._arrays["table"] >= 0)
        return self._rows(np.flatnonzero(~made).tolist())

    def __contains__(self, value: object) -> bool:
        return self._find(str(value)) >= 0

    @property
    def billable_count(self) -> int:
        """How many codes can be billed."""
        return int(np.count_nonzero(self._billable))

    @property
    def chapters(self) -> tuple[Chapter, ...]:
        """The chapters, in order, each from the first category of its blocks to the last."""
        return tuple(map(self._chapter, range(len(self._strings("chapter_number")))))

    @property
    def blocks(self) -> tuple[CodeBlock, ...]:
        """The blocks, in order."""
        return tuple(map(self._block, range(len(self._strings("block_value")))))

    def get(self, value: str) -> TabularEntry | None:
        """What stands at a code or heading, or None when the list has none."""
        at = self._find(value)
        if at < 0:
            return None
        parent = int(self._parent[at])
        return TabularEntry(
            self._written(at),
            self._descriptions[at],
            bool(self._billable[at]),
            None if parent < 0 else self._written(parent),
            tuple(map(self._written, self._below(at))),
            self._terms(at),
            self._standing(self._place(at), self._written(at)),
        )

    def describe(self, value: str) -> str | None:
        """The description of a code or heading, or None."""
        at = self._find(value)
        return None if at < 0 else self._descriptions[at]

    def is_billable(self, value: str) -> bool:
        """Whether the code is specific enough to be billed in this release."""
        at = self._find(value)
        return at >= 0 and bool(self._billable[at])

    def parent(self, value: str) -> str | None:
        """The next heading up, or None for a category.

        A code that the list does not have still has a parent, when its beginning is there.
        """
        plain = _plain(value)
        for length in range(len(plain) - 1, 2, -1):
            at = self._number(plain[:length])
            if at >= 0:
                return self._written(at)
        return None

    def children(self, value: str) -> tuple[str, ...]:
        """The codes and headings one step below; those with a 7th character are below the rest."""
        at = self._find(value)
        return () if at < 0 else tuple(map(self._written, self._below(at)))

    def starting(self, beginning: str) -> tuple[CodeEntry, ...]:
        """The codes and headings that begin so, in order; none for an empty beginning."""
        plain = _plain(beginning)
        return tuple(map(self._row, self._values.starting(plain))) if plain else ()

    def siblings(self, value: str) -> tuple[str, ...]:
        """The others under the same heading; of a category, the others of its block."""
        at = self._find(value)
        if at < 0:
            return ()
        parent = int(self._parent[at])
        if parent >= 0:
            beside = self._below(parent)
        else:
            block = self._arrays["block"]
            beside = np.flatnonzero((block == block[at]) & (self._parent < 0)).tolist()
        return tuple(self._written(other) for other in beside if other != at)

    def ancestors(self, value: str) -> tuple[str, ...]:
        """The headings over a code, from its category down, without the code."""
        return tuple(map(self._written, self._line(self._find(value))[:-1]))

    def chapter(self, value: str) -> Chapter | None:
        """The chapter that a code is in, or None."""
        at = self._find(value)
        return None if at < 0 else self._chapter(self._chapter_at(at))

    def block(self, value: str) -> CodeBlock | None:
        """The block that a code is in, or None."""
        at = self._find(value)
        return None if at < 0 else self._block(int(self._arrays["block"][at]))

    def inclusion_terms(self, value: str) -> tuple[str, ...]:
        """The other names that stand under a code's description, and mean the code."""
        at = self._find(value)
        return () if at < 0 else self._terms(at)

    def terms(self) -> Iterator[tuple[str, str]]:
        """Every inclusion term with its code or heading, in order."""
        begins, terms = self._arrays["term_begin"], self._strings("term")
        for at in np.flatnonzero(np.diff(begins)).tolist():
            for number in range(int(begins[at]), int(begins[at + 1])):
                yield self._written(at), terms[number]

    def instructions(self) -> Iterator[Instruction]:
        """Every instruction of the book, once, in the order of chapters, blocks and codes."""
        begins = self._arrays["instruction_begin"]
        for place in np.flatnonzero(np.diff(begins)).tolist():
            yield from self._standing(place, self._name(place))

    def instructions_of(self, value: str) -> tuple[Instruction, ...]:
        """Every instruction that applies to a code, from its chapter down to the code itself."""
        at = self._find(value)
        if at < 0:
            return ()
        chapters = len(self._strings("chapter_number"))
        places = [self._chapter_at(at), chapters + int(self._arrays["block"][at])]
        places += map(self._place, self._line(at))
        return tuple(line for place in places for line in self._standing(place, self._name(place)))

    def seventh_characters(self, value: str) -> SeventhCharacters | None:
        """The 7th characters that apply to a code: of the nearest table upwards, or None."""
        at = self._find(value)
        number = -1 if at < 0 else int(self._arrays["table"][at])
        if number < 0:
            return None
        begin, end = (int(b) for b in self._arrays["table_begin"][number : number + 2])
        characters, meanings = self._strings("table_character"), self._strings("table_meaning")
        return SeventhCharacters(
            {characters[row]: meanings[row] for row in range(begin, end)},
            self._strings("table_note")[number],
            self._written(int(self._arrays["table_at"][number])),
        )

    def _strings(self, name: str) -> Strings:
        return Strings(self._arrays[f"{name}_blob"], self._arrays[f"{name}_offsets"])

    @cached_property
    def _asked(self) -> Numbers:
        return self._values.numbers()

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return self._values.all_numbers()

    def _number(self, plain: str) -> int:
        return self._asked[plain] if len(self._asked) < _FEW else self._numbers.get(plain, -1)

    @staticmethod
    def written(value: str) -> str:
        """A code as the book writes it, however it came."""
        plain = _plain(value)
        return f"{plain[:3]}.{plain[3:]}" if len(plain) > 3 else plain

    def _find(self, value: str) -> int:
        return self._number(_plain(value))

    def _written(self, at: int) -> str:
        return self.written(self._values[at])

    def _rows(self, numbers: Iterable[int]) -> Iterator[CodeEntry]:
        values, descriptions = list(self._values), list(self._descriptions)
        billable = self._billable.tolist()
        for at in numbers:
            yield CodeEntry(self.written(values[at]), descriptions[at], billable[at])

    def _row(self, at: int) -> CodeEntry:
        return CodeEntry(self._written(at), self._descriptions[at], bool(self._billable[at]))

    def _below(self, at: int) -> list[int]:
        reach = self._values.starting(self._values[at])
        found: list[int] = (
            np.flatnonzero(self._parent[reach.start : reach.stop] == at) + reach.start
        ).tolist()
        return found

    def _line(self, at: int) -> list[int]:
        """The category, the headings under it, and the code."""
        line = []
        while at >= 0:
            line.append(at)
            at = int(self._parent[at])
        return line[::-1]

    def _terms(self, at: int) -> tuple[str, ...]:
        begin, end = (int(b) for b in self._arrays["term_begin"][at : at + 2])
        terms = self._strings("term")
        return tuple(terms[number] for number in range(begin, end))

    def _chapter_at(self, at: int) -> int:
        return int(self._arrays["block_chapter"][self._arrays["block"][at]])

    def _chapter(self, number: int) -> Chapter:
        within = np.flatnonzero(self._arrays["block_chapter"] == number)
        names = self._strings("block_value")
        first = names[int(within[0])].split("-")[0] if len(within) else ""
        last = max((names[int(at)].split("-")[-1] for at in within), default="")
        numbers, titles = self._strings("chapter_number"), self._strings("chapter_title")
        return Chapter(numbers[number], first, last, titles[number])

    def _block(self, number: int) -> CodeBlock:
        chapter = int(self._arrays["block_chapter"][number])
        return CodeBlock(
            self._strings("block_value")[number],
            self._strings("block_title")[number],
            self._strings("chapter_number")[chapter],
        )

    def _place(self, at: int) -> int:
        """A code's number among the places where instructions stand."""
        return len(self._strings("chapter_number")) + len(self._strings("block_value")) + at

    def _name(self, place: int) -> str:
        chapters, blocks = self._strings("chapter_number"), self._strings("block_value")
        if place < len(chapters):
            return f"chapter {chapters[place]}"
        place -= len(chapters)
        if place < len(blocks):
            return f"block {blocks[place]}"
        return self._written(place - len(blocks))

    def _standing(self, place: int, name: str) -> tuple[Instruction, ...]:
        begin, end = (int(b) for b in self._arrays["instruction_begin"][place : place + 2])
        texts, kinds = self._strings("instruction"), self._arrays["instruction_kind"]
        return tuple(
            Instruction(KINDS[kinds[number]], texts[number], name) for number in range(begin, end)
        )


def _plain(value: str) -> str:
    return value.strip().upper().replace(".", "")
