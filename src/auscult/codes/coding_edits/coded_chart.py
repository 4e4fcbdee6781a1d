"""The codes of one encounter, as the rules see them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from auscult.codes.coding_edits.code_book import CodeBook, CodeFacts
from auscult.codes.coding_edits.finding import CodingFinding
from auscult.codes.table import CodeTable


@dataclass(frozen=True, slots=True)
class CodedChart:
    """The codes in their order, as they were written, with the age in years and the sex.

    `facts` has each known code once. Without an order (`in_order` False), nothing is said of what
    is listed first.
    """

    system: str
    given: tuple[str, ...]
    facts: tuple[CodeFacts, ...]
    book: CodeBook
    table: CodeTable
    age: float | None
    sex: str | None
    in_order: bool

    @property
    def different(self) -> tuple[str, ...]:
        """The codes as they were written, each once."""
        return tuple(dict.fromkeys(self.given))

    def has(self, *beginnings: str) -> bool:
        """Whether one of the codes begins with one of these characters."""
        return any(code.value.startswith(beginnings) for code in self.facts)


@dataclass(frozen=True, slots=True)
class CodingRule:
    """A rule: its name, what it finds, and for which code systems."""

    name: str
    title: str
    check: Callable[[CodedChart], Iterator[CodingFinding]]
    systems: tuple[str, ...] = ("ICD-10-CM",)
