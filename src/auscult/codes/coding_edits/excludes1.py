"""Excludes1: two codes that are never used together, unless the conditions are unrelated."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from auscult.codes.coding_edits.code_book import CodeBook, CodeFacts
from auscult.codes.coding_edits.coded_chart import CodedChart
from auscult.codes.coding_edits.finding import CodingFinding, EditSeverity, official
from auscult.codes.tabular import Instruction


def check_excludes1(chart: CodedChart) -> Iterator[CodingFinding]:
    """Pairs of codes of which one stands under an Excludes1 note that names the other."""
    for first, second in combinations(chart.facts, 2):
        for code, other in ((first, second), (second, first)):
            # Most pairs have nothing in common, and this is asked of every pair.
            if code.excludes1.isdisjoint(other.named_in):
                continue
            line = _excluding(code, other, chart.book)
            if line is not None:
                yield CodingFinding(
                    "excludes1",
                    EditSeverity.ERROR,
                    (code.value, other.value),
                    f"{other.value} is excluded where {code.value} is coded",
                    "Keep the code that the record supports. Both may stand only if the two "
                    "conditions are unrelated to each other.",
                    official("I.A.12.a"),
                    line,
                )
                break


def _excluding(code: CodeFacts, other: CodeFacts, book: CodeBook) -> Instruction | None:
    """The Excludes1 line over a code that names another, and not the code itself.

    A note at a heading that is over both codes, or that names both, tells where something else
    belongs; it does not set the two against each other.
    """
    lines = (code.excludes1 & other.named_in) - code.named_in - other.excludes1
    return book.lines[min(lines)] if lines else None
