"""What another system's offsets count, found out from what it quotes.

Java tools count UTF-16 units, others bytes; some read a text whose line ends were other than ours,
some count from 1. Every such way is tried on the rows that quote their text; the one that fits most
of them is taken, and said when it is not the plain one.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from auscult.core import FormatError, Offsets, Span, SpanError, Unit
from auscult.corpus.external.row import Row

_UNITS = {
    Unit.CODEPOINT: "Unicode code points",
    Unit.UTF16: "UTF-16 units",
    Unit.UTF8: "bytes of UTF-8",
}
_NEWLINES = {
    "same": "",
    "crlf": " of the text with CRLF line ends",
    "lf": " of the text with LF line ends",
}
_LEAST = 0.5
_TRIED = 400
"""Rows that decide."""


@dataclass(frozen=True, slots=True)
class Counting:
    """A way to count: the unit, the line ends of the text that was counted in, and from what."""

    unit: Unit = Unit.CODEPOINT
    newlines: str = "same"
    first: int = 0

    def __str__(self) -> str:
        start = " from 1 on" if self.first else ""
        return f"{_UNITS[self.unit]}{_NEWLINES[self.newlines]}{start}"

    def spans(self, row: Row, text: str) -> tuple[Span, ...] | None:
        """The spans of a row in the note's own text; None where they cannot be."""
        try:
            counted, own = _counted(text, self.unit, self.newlines)
            found = []
            for begin, end in row.ranges:
                span = counted.span_to_codepoint(begin - self.first, end - self.first)
                found.append(span if own is None else Span(own[span.begin], own[span.end]))
        except SpanError:
            return None
        return tuple(found)


@lru_cache(maxsize=64)
def _counted(text: str, unit: Unit, newlines: str) -> tuple[Offsets, tuple[int, ...] | None]:
    """Offsets into the text as it was counted in, and the way back to the note's own."""
    if newlines == "same":
        return Offsets(text, unit), None
    pieces: list[str] = []
    own: list[int] = []
    for at, character in enumerate(text):
        written = character
        if newlines == "crlf" and character == "\n" and (at == 0 or text[at - 1] != "\r"):
            written = "\r\n"
        elif newlines == "lf" and character == "\r" and text[at + 1 : at + 2] == "\n":
            written = ""
        pieces.append(written)
        own += [at] * len(written)
    own.append(len(text))
    return Offsets("".join(pieces), unit), tuple(own)


WAYS = tuple(
    Counting(unit, newlines, first)
    for first in (0, 1)
    for newlines in _NEWLINES
    for unit in (Unit.CODEPOINT, Unit.UTF16, Unit.UTF8)
)


def detect(rows: Sequence[Row], texts: Mapping[str, str], tool: str) -> Counting:
    """How rows count, by what they quote; says so when it is not in plain code points.

    Rows that quote nothing, or whose note is not there, decide nothing.
    """
    telling = [row for row in rows if row.quote and row.note_id in texts]
    # Most rows fit in every way: those past the first odd character tell them apart.
    telling.sort(key=lambda row: -row.ranges[0][0])
    telling = telling[:_TRIED]
    if not telling:
        return Counting()
    fits = {way: sum(_fits(way, row, texts[row.note_id]) for row in telling) for way in WAYS}
    best = max(WAYS, key=lambda way: (fits[way], -WAYS.index(way)))
    if fits[best] < _LEAST * len(telling):
        raise FormatError(
            f"of {len(telling):,} rows of {tool} that quote their text, at most {fits[best]:,} "
            "quote what is there, however the offsets are counted: the notes are not those that "
            "the system read",
            telling[0].file,
            telling[0].number,
        )
    if best != Counting():
        warnings.warn(
            f"The offsets of {tool} count {best}: so {fits[best]:,} of {len(telling):,} quotes "
            f"fit, against {fits[Counting()]:,} in code points. They were converted.",
            stacklevel=2,
        )
    return best


def _fits(way: Counting, row: Row, text: str) -> bool:
    spans = way.spans(row, text)
    if spans is None:
        return False
    return _plain(" ".join(span.of(text) for span in spans)) == _plain(row.quote or "")


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
