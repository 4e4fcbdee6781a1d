"""Between code points and the units other tools count in: UTF-16 units and UTF-8 bytes.

Java and JavaScript tools (INCEpTION, UIMA, browsers) count UTF-16 units, some others bytes.
The first emoji in a note moves every offset after it, so each reader says which unit its
format uses and converts here, and nowhere else.
"""

from __future__ import annotations

from bisect import bisect_left
from enum import StrEnum
from itertools import accumulate

from auscult.core.errors import SpanError
from auscult.core.span import Span


class OffsetUnit(StrEnum):
    """What an offset counts."""

    CODEPOINT = "codepoint"
    UTF16 = "utf16"
    UTF8 = "utf8"


def _width(character: str, unit: OffsetUnit) -> int:
    point = ord(character)
    if unit is OffsetUnit.UTF16:
        return 2 if point > 0xFFFF else 1
    return 1 + (point > 0x7F) + (point > 0x7FF) + (point > 0xFFFF)


class Offsets:
    """Converts offsets of one text. Text in which every character is one unit costs nothing.

    >>> offsets = Offsets("🫀 beats", OffsetUnit.UTF16)
    >>> offsets.to_codepoint(3), offsets.from_codepoint(2)
    (2, 3)
    >>> offsets.to_codepoint(1)
    Traceback (most recent call last):
    auscult.core.errors.SpanError: Offset 1 (utf16) is in the middle of a character.
    """

    def __init__(self, text: str, unit: OffsetUnit) -> None:
        self._unit = unit
        self._length = len(text)
        self._starts: list[int] | None = None
        plain = unit is OffsetUnit.CODEPOINT or text.isascii()
        if not plain and not (unit is OffsetUnit.UTF16 and max(text) <= "\uffff"):
            self._starts = list(accumulate((_width(c, unit) for c in text), initial=0))

    @property
    def length(self) -> int:
        """The text's length in the unit."""
        return self._length if self._starts is None else self._starts[-1]

    def to_codepoint(self, offset: int) -> int:
        """The code point offset of an offset in the unit."""
        if not 0 <= offset <= self.length:
            raise SpanError(
                f"Offset {offset} ({self._unit}) is outside the text, which has {self.length} "
                "units."
            )
        if self._starts is None:
            return offset
        at = bisect_left(self._starts, offset)
        if self._starts[at] != offset:
            raise SpanError(f"Offset {offset} ({self._unit}) is in the middle of a character.")
        return at

    def from_codepoint(self, offset: int) -> int:
        """The offset in the unit of a code point offset."""
        if not 0 <= offset <= self._length:
            raise SpanError(
                f"Offset {offset} is outside the text, which has {self._length} characters."
            )
        return offset if self._starts is None else self._starts[offset]

    def span_to_codepoint(self, begin: int, end: int) -> Span:
        """A span given in the unit, as code points."""
        return Span(self.to_codepoint(begin), self.to_codepoint(end))

    def span_from_codepoint(self, span: Span) -> tuple[int, int]:
        """A span of code points, in the unit."""
        return self.from_codepoint(span.begin), self.from_codepoint(span.end)
