"""Infer the unit of another system's offsets from the text it quotes.

Java tools count UTF-16 units, others bytes; some read a text whose line ends were other than ours,
some count from 1. Every such way is tried on every row that quotes its text. A system counts in one
way throughout: the way that fits most rows is taken, and among equals the plainest. So one note
with a letter outside ASCII decides, however many notes have none.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from auscult.core import Offsets, OffsetUnit, Span, SpanError
from auscult.corpus.external.row import ExternalRow, Range

_UNITS = {
    OffsetUnit.CODEPOINT: "Unicode code points",
    OffsetUnit.UTF16: "UTF-16 units",
    OffsetUnit.UTF8: "bytes of UTF-8",
}
_NEWLINES = {
    "same": "",
    "crlf": " of the text with CRLF line ends",
    "lf": " of the text with LF line ends",
}
_LONE = re.compile(r"(?<!\r)\n")
_CRLF = re.compile(r"\r\n")


@dataclass(frozen=True, slots=True)
class Convention:
    """A way to count: the unit, the line ends of the text that was counted in, and from what."""

    unit: OffsetUnit = OffsetUnit.CODEPOINT
    newlines: str = "same"
    first: int = 0

    def __str__(self) -> str:
        start = " from 1 on" if self.first else ""
        return f"{_UNITS[self.unit]}{_NEWLINES[self.newlines]}{start}"

    def on(self, text: str) -> Convention:
        """The plainest way that comes to the same on this text."""
        unit = OffsetUnit.CODEPOINT if text.isascii() else self.unit
        pattern = {"crlf": _LONE, "lf": _CRLF}.get(self.newlines)
        is_same = pattern is None or pattern.search(text) is None
        return Convention(unit, "same" if is_same else self.newlines, self.first)

    def spans(self, ranges: Iterable[Range], text: str) -> tuple[Span, ...] | None:
        """Ranges as spans of the note's own text, in order; None where they cannot be."""
        try:
            counted = _counted(text, self.unit, self.newlines)
            found = [counted.span(b - self.first, e - self.first) for b, e in ranges]
        except SpanError:
            return None
        return tuple(sorted(found)) if found and all(map(len, found)) else None

    def fits(self, row: ExternalRow, text: str) -> bool:
        """Whether the row quotes what is there: the same letters and digits, whatever the case."""
        covered = self._covered(row, text)
        return covered is not None and _letters(covered) == _letters(row.quote or "")

    def fits_exactly(self, row: ExternalRow, text: str) -> bool:
        """Whether it quotes what is there to the last blank, too."""
        return self._covered(row, text) == row.quote

    def _covered(self, row: ExternalRow, text: str) -> str | None:
        spans = self.spans(row.quoted or row.ranges, text)
        return None if spans is None else " ".join(span.of(text) for span in spans)


CONVENTIONS = tuple(
    Convention(unit, newlines, first)
    for first in (0, 1)
    for newlines in _NEWLINES
    for unit in (OffsetUnit.CODEPOINT, OffsetUnit.UTF16, OffsetUnit.UTF8)
)
"""The simplest first."""


def conventions_on(text: str) -> Iterator[tuple[Convention, list[Convention]]]:
    """The ways that differ on a text, each with all that come to the same there."""
    alike: dict[Convention, list[Convention]] = {}
    for way in CONVENTIONS:
        alike.setdefault(way.on(text), []).append(way)
    yield from alike.items()


class _Counted:
    """A text as it was counted in, with other line ends perhaps, and the way back to the own."""

    def __init__(self, text: str, unit: OffsetUnit, newlines: str) -> None:
        self._newlines = newlines
        self._moved: list[int] = []
        if newlines == "crlf":
            # Where a carriage return stands in the text that was counted in, and not in ours.
            self._moved = [m.start() + n for n, m in enumerate(_LONE.finditer(text))]
            text = _LONE.sub("\r\n", text)
        elif newlines == "lf":
            self._moved = [m.start() - n for n, m in enumerate(_CRLF.finditer(text))]
            text = _CRLF.sub("\n", text)
        self._offsets = Offsets(text, unit)

    def span(self, begin: int, end: int) -> Span:
        span = self._offsets.span_to_codepoint(begin, end)
        if not self._moved or not len(span):
            return span
        return Span(self._own(span.begin), self._own(span.end - 1) + 1)

    def _own(self, at: int) -> int:
        if self._newlines == "crlf":
            return at - bisect_left(self._moved, at)
        return at + bisect_right(self._moved, at)


@lru_cache(maxsize=len(CONVENTIONS))
def _counted(text: str, unit: OffsetUnit, newlines: str) -> _Counted:
    return _Counted(text, unit, newlines)


def _letters(text: str) -> str:
    """What is compared: some systems quote the words as they took them apart."""
    plain = " ".join(text.split()).casefold()
    return "".join(filter(str.isalnum, plain)) or plain
