"""Excludes1: two codes that are never used together, unless the conditions are unrelated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from auscult.codes.coding_edits.code_book import CodeBook, CodeFacts
from auscult.codes.coding_edits.coded_chart import CodedChart
from auscult.codes.coding_edits.finding import CodingFinding, EditSeverity, official
from auscult.codes.tabular import Instruction

_RELATED = re.compile(r"\b(?:with|in|due to|associated|complicating|from|causing)\b")
_WITH = re.compile(r"\bwith\b")
_PARENTHESES = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_IDLE = frozenset(
    (
        *("nos", "nec", "not", "elsewhere", "classified", "other", "of", "the", "and", "or", "to"),
        *("for", "by", "as", "a", "an"),
    )
)


def check_excludes1(chart: CodedChart) -> Iterator[CodingFinding]:
    """Pairs of codes of which one stands under an Excludes1 note that names the other."""
    for first, second in combinations(chart.facts, 2):
        for code, other in ((first, second), (second, first)):
            # Most pairs have nothing in common, and this is asked of every pair.
            if code.excludes1.isdisjoint(other.named_in):
                continue
            line = _excluding(code, other, chart.book)
            if line is not None:
                yield _conflict(code, other, line, chart.book)
                break


def _conflict(
    code: CodeFacts, other: CodeFacts, line: Instruction, book: CodeBook
) -> CodingFinding:
    """An error when the line names the very condition; a warning when it names a part of it.

    "Coma in diabetes (E08-E13)" excludes diabetes only if the coma is due to it, and "myoclonic
    epilepsy (G40.-)" no other epilepsy. Injuries may be of two fingers.
    """
    is_sure = _is_titled(other, line, book) and code.value[0] not in "ST"
    return CodingFinding(
        "excludes1",
        EditSeverity.ERROR if is_sure else EditSeverity.WARNING,
        (code.value, other.value),
        f"{other.value} ({other.description}) is excluded where {code.value} is coded",
        "Keep the code that the record supports. Both may stand only if the two conditions are "
        "unrelated to each other.",
        official("I.A.12.a"),
        line,
    )


def _excluding(code: CodeFacts, other: CodeFacts, book: CodeBook) -> Instruction | None:
    """The Excludes1 line over a code that names another, and not the code itself.

    A note at a heading that is over both codes, or that names both, tells where something else
    belongs; it does not set the two against each other.
    """
    numbers = (code.excludes1 & other.named_in) - code.named_in - other.excludes1
    lines = [book.lines[number] for number in sorted(numbers)]
    # "Diverticular disease with hemorrhage (K57.-)" is not about diverticulosis without bleeding.
    is_without = "without" in other.description and not _WITH.search(other.description)
    return next((one for one in lines if not (is_without and _RELATED.search(one.text))), None)


def _is_titled(code: CodeFacts, line: Instruction, book: CodeBook) -> bool:
    """Whether all words of a line are in the titles of a code and what is over it."""
    above = [book.listed.describe(heading) or "" for heading in code.headings]
    titles = " ".join((code.description, *above, *code.place_titles))
    return _words(_PARENTHESES.sub(" ", line.text)) <= _words(titles)


def _words(text: str) -> frozenset[str]:
    """The words of a text by their first letters, so that "anemias" is "anemia"."""
    found = re.findall(r"[a-z0-9]+", text.lower())
    return frozenset(word[:5] for word in found if word not in _IDLE)
