"""What the Tabular List says of a code: its place, its names and its instructions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from auscult.codes.tabular.ranges import CodeRange, parse_ranges


class InstructionKind(StrEnum):
    """The kinds of instruction, by what the book calls them."""

    INCLUDES = "includes"
    EXCLUDES1 = "excludes1"
    EXCLUDES2 = "excludes2"
    CODE_FIRST = "code-first"
    USE_ADDITIONAL = "use-additional"
    CODE_ALSO = "code-also"
    NOTE = "note"

    @property
    def heading(self) -> str:
        """As the book prints it."""
        return _TITLES[self]


_TITLES = {
    InstructionKind.INCLUDES: "Includes",
    InstructionKind.EXCLUDES1: "Excludes1",
    InstructionKind.EXCLUDES2: "Excludes2",
    InstructionKind.CODE_FIRST: "Code first",
    InstructionKind.USE_ADDITIONAL: "Use additional code",
    InstructionKind.CODE_ALSO: "Code also",
    InstructionKind.NOTE: "Note",
}


@dataclass(frozen=True, slots=True)
class Instruction:
    """One line of an instruction, and where it stands.

    `at` is a code (`E11.6`), `block E08-E13` or `chapter 4`; it applies to all that is below.

    >>> line = Instruction(InstructionKind.EXCLUDES1, "gestational diabetes (O24.4-)", "E11")
    >>> line.names("O24.410"), line.names("O24.1")
    (True, False)
    """

    kind: InstructionKind
    text: str
    at: str

    @property
    def ranges(self) -> tuple[CodeRange, ...]:
        """The codes that it names; see `parse_ranges`."""
        return parse_ranges(self.text)

    def names(self, code: str) -> bool:
        """Whether a code is among those that it names."""
        return any(codes.contains(code) for codes in self.ranges)


@dataclass(frozen=True, slots=True)
class SeventhCharacters:
    """A table of 7th characters: what each means, the sentence over it, and where it stands."""

    meanings: Mapping[str, str]
    note: str
    at: str

    @property
    def extent(self) -> tuple[CodeRange, ...]:
        """The codes the sentence over the table names; those below a nearer table go by that."""
        return parse_ranges(self.note.partition(".  ")[0])


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A block of categories, which the book's files call a section: `E08-E13`."""

    value: str
    title: str
    chapter: str

    @property
    def first(self) -> str:
        """The first category."""
        return self.value.split("-")[0]

    @property
    def last(self) -> str:
        """The last category."""
        return self.value.split("-")[-1]


@dataclass(frozen=True, slots=True)
class TabularEntry:
    """A category, a subcategory or a code, with what stands at it and not above it."""

    value: str
    description: str
    billable: bool
    parent: str | None
    children: tuple[str, ...]
    inclusion_terms: tuple[str, ...]
    instructions: tuple[Instruction, ...]
