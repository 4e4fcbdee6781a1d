"""Spans: half-open ranges of Unicode code points in one note's text, and their algebra."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from auscult.core.errors import SpanError


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The characters `begin` up to but not including `end`, counted in code points.

    >>> Span(2, 5).of("a fever")
    'fev'
    >>> len(Span(2, 5))
    3
    """

    begin: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.begin <= self.end:
            raise SpanError(
                f"A span runs from begin to end with 0 ≤ begin ≤ end; got {self.begin}–{self.end}."
            )

    def __len__(self) -> int:
        return self.end - self.begin

    def of(self, text: str) -> str:
        """The characters of `text` that the span covers."""
        if self.end > len(text):
            raise SpanError(
                f"Span {self.begin}–{self.end} ends past the text's {len(text)} characters. "
                "Offsets count Unicode code points; if yours are bytes or UTF-16 units, pass "
                "--offsets utf8 or --offsets utf16."
            )
        return text[self.begin : self.end]

    def overlaps(self, other: Span) -> bool:
        """Whether the two share at least one character. Neighbors and empty spans do not."""
        return max(self.begin, other.begin) < min(self.end, other.end)

    def contains(self, other: Span) -> bool:
        """Whether every character of `other` is in this span."""
        return self.begin <= other.begin and other.end <= self.end

    def intersection(self, other: Span) -> Span | None:
        """The characters in both, or None when there are none."""
        return (
            Span(max(self.begin, other.begin), min(self.end, other.end))
            if self.overlaps(other)
            else None
        )

    def shift(self, by: int) -> Span:
        """The span moved by `by` characters."""
        return Span(self.begin + by, self.end + by)


def extent(spans: Sequence[Span]) -> Span:
    """The smallest span that contains all of `spans`: a discontinuous span's whole extent."""
    if not spans:
        raise SpanError("The extent of no spans is undefined; pass at least one span.")
    return Span(min(s.begin for s in spans), max(s.end for s in spans))


def union(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The same characters as sorted spans that neither overlap nor touch.

    >>> union([Span(4, 6), Span(0, 2), Span(1, 4)])
    (Span(begin=0, end=6),)
    """
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.begin <= merged[-1].end:
            merged[-1] = Span(merged[-1].begin, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return tuple(merged)


def shared_length(left: Iterable[Span], right: Iterable[Span]) -> int:
    """How many characters two discontinuous spans have in common."""
    a, b = union(left), union(right)
    i = j = shared = 0
    while i < len(a) and j < len(b):
        shared += max(0, min(a[i].end, b[j].end) - max(a[i].begin, b[j].begin))
        if a[i].end <= b[j].end:
            i += 1
        else:
            j += 1
    return shared


def is_filler(character: str) -> bool:
    """Whether a character is white space, punctuation or invisible: never evidence by itself.

    Symbols such as `+`, `<` or `°` are not filler: they carry meaning in a lab value.
    """
    return character.isspace() or unicodedata.category(character)[0] in "PZC"


def trim(span: Span, text: str, strip: str | None = None) -> Span:
    """The span without white space and punctuation at its edges.

    `strip` names the characters to take off instead, at both ends. A span of nothing but
    filler becomes the empty span at its beginning.

    >>> trim(Span(0, 9), "  (fever)")
    Span(begin=3, end=8)
    """

    def goes(character: str) -> bool:
        return is_filler(character) if strip is None else character in strip

    begin, end = span.begin, span.begin + len(span.of(text))
    while begin < end and goes(text[begin]):
        begin += 1
    if begin == end:
        return Span(span.begin, span.begin)
    while goes(text[end - 1]):
        end -= 1
    return Span(begin, end)


def close_bracket(span: Span, text: str) -> Span:
    """The span with the bracket that closes the one open at its end, if it comes next.

    >>> text = "high blood pressure (HTN), asthma"
    >>> close_bracket(Span(0, 24), text).of(text)
    'high blood pressure (HTN)'
    """
    held, following = span.of(text), text[span.end : span.end + 1]
    opening = {")": "(", "]": "["}.get(following)
    if opening is None or held.rfind(opening) <= held.rfind(following):
        return span
    return Span(span.begin, span.end + 1)


def merge_adjacent(spans: Iterable[Span], text: str) -> tuple[Span, ...]:
    """Spans joined where they overlap, touch, or have nothing but filler between them.

    >>> merge_adjacent([Span(0, 5), Span(7, 14), Span(19, 24)], "acute, chronic and fever")
    (Span(begin=0, end=14), Span(begin=19, end=24))
    """
    merged: list[Span] = []
    for span in union(spans):
        if merged and all(map(is_filler, text[merged[-1].end : span.begin])):
            merged[-1] = Span(merged[-1].begin, span.end)
        else:
            merged.append(span)
    return tuple(merged)


def splits_word(span: Span, text: str) -> bool:
    """Whether an edge of the span lies between two word characters.

    >>> splits_word(Span(0, 5), "hypertension"), splits_word(Span(0, 12), "hypertension")
    (True, False)
    """

    def inside(at: int) -> bool:
        return 0 < at < len(text) and _is_word(text[at - 1]) and _is_word(text[at])

    return len(span) > 0 and (inside(span.begin) or inside(span.end))


def _is_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character).startswith("M")
