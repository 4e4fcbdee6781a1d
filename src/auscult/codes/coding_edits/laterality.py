"""Left, right, both, or no side said: codes that should be one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from auscult.codes.coding_edits.code_book import CodeFacts
from auscult.codes.coding_edits.coded_chart import CodedChart
from auscult.codes.coding_edits.finding import CodingFinding, EditSeverity, official
from auscult.codes.tabular import TabularList

_SIDE = re.compile(r"\b(right|left)\b", re.IGNORECASE)
_UNSPECIFIED = re.compile(r"\bunspecified\b", re.IGNORECASE)
_IDLE = frozenset(["of", "the", "and", "unilateral", "bilateral", "side", "sides"])
_SECTION = "I.B.13"
Pairs = dict[tuple[str, str], dict[str, CodeFacts]]


def check_laterality(chart: CodedChart) -> Iterator[CodingFinding]:
    """Both sides of what has a bilateral code, a side beside both, and a side beside none."""
    pairs: Pairs = {}
    for code in chart.facts:
        named = _SIDE.findall(code.description)
        if len(named) == 1:
            key = code.category, _SIDE.sub("*", code.description).lower()
            pairs.setdefault(key, {})[named[0].lower()] = code
    if not pairs:
        return
    for sides in pairs.values():
        if len(sides) == 2:
            yield from _both_sides(sides["left"], sides["right"], chart.book.listed)
    yield from _beside_bilateral(chart, pairs)
    yield from _beside_unspecified(chart, pairs)


def _both_sides(left: CodeFacts, right: CodeFacts, listed: TabularList) -> Iterator[CodingFinding]:
    both = bilateral_of(left, listed)
    if both is not None:
        yield CodingFinding(
            "laterality",
            EditSeverity.WARNING,
            (left.value, right.value),
            f"{left.value} and {right.value} are the two sides of what {both} says at once",
            f"Use {both} ({listed.describe(both)}) instead, unless the sides differ or one of them "
            "has been treated already.",
            official(_SECTION),
        )


def _beside_bilateral(chart: CodedChart, pairs: Pairs) -> Iterator[CodingFinding]:
    both = {code.value for code in chart.facts if "ilateral" in code.description}
    categories = {value[:3] for value in both}
    for (category, _), sides in pairs.items():
        for code in sides.values() if category in categories else ():
            found = bilateral_of(code, chart.book.listed)
            if found in both:
                yield CodingFinding(
                    "laterality",
                    EditSeverity.WARNING,
                    (code.value, found),
                    f"{code.value} is one side of what {found} says of both",
                    "Keep the one that the record supports.",
                    official(_SECTION),
                )


def _beside_unspecified(chart: CodedChart, pairs: Pairs) -> Iterator[CodingFinding]:
    for code in chart.facts:
        for masked in _open_sides(code):
            for sided in pairs.get((code.category, masked), {}).values():
                yield CodingFinding(
                    "unspecified-side",
                    EditSeverity.WARNING,
                    (code.value, sided.value),
                    f"{code.value} leaves the side open that {sided.value} says",
                    f"Drop {code.value} if it is the same condition.",
                    official(_SECTION),
                )


def _open_sides(code: CodeFacts) -> list[str]:
    """The title with each "unspecified" in turn as the place of a side."""
    text = code.description
    return [
        (text[: match.start()] + "*" + text[match.end() :]).lower()
        for match in _UNSPECIFIED.finditer(text)
    ]


def differ_in_side(code: CodeFacts, other: CodeFacts) -> bool:
    """Whether another code says the same with a side that the code leaves open."""
    return _SIDE.sub("*", other.description).lower() in _open_sides(code)


def bilateral_of(code: CodeFacts, listed: TabularList) -> str | None:
    """The code for both sides of what a code says of one, if the book has it.

    It is beside the code (H25.11, H25.13) or beside its heading (M16.11, M16.0). It may name the
    part once more or not at all: "right eye" is "bilateral", "right knee" is "bilateral ... of
    knee".
    """
    mine = _words(_SIDE.sub("", code.description))
    for heading in reversed(code.headings[-2:]):
        for other in listed.children(heading):
            title = listed.describe(other) or ""
            if "ilateral" not in title or "nilateral" in title or not listed.is_billable(other):
                continue
            theirs = _words(title)
            if theirs == mine or (theirs < mine and len(mine - theirs) == 1):
                return other
    return None


def _words(text: str) -> frozenset[str]:
    """The words of a title by their first letters, so that "ovary" is "ovaries"."""
    found = re.findall(r"[a-z]+", text.lower())
    return frozenset(word[:4] for word in found if word not in _IDLE)
