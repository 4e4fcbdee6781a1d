"""Cutting a text where annotations begin and end, so that overlapping ones can be drawn."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from auscult.core import Annotation


@dataclass(frozen=True, slots=True)
class TextSegment:
    """A stretch of text with the same annotations all along, by their numbers.

    `ends` are those whose last character is the segment's last.
    """

    text: str = field(repr=False)
    on: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()


def segments(text: str, annotations: Sequence[Annotation]) -> list[TextSegment]:
    """The text as segments. Spans past the end are cut off there; empty ones are left out.

    >>> from auscult.core import Code, Span
    >>> def on(begin, end): return Annotation("a", Code("x", "y"), "c", "n", (Span(begin, end),))
    >>> [(s.text, s.on) for s in segments("abcdef", [on(0, 4), on(2, 5)])]
    [('ab', (0,)), ('cd', (0, 1)), ('e', (1,)), ('f', ())]
    """
    pieces = [
        (span.begin, min(span.end, len(text)), number)
        for number, annotation in enumerate(annotations)
        for span in annotation.spans
        if span.begin < min(span.end, len(text))
    ]
    last: dict[int, int] = {}
    for _, end, number in pieces:
        last[number] = max(end, last.get(number, 0))
    edges = sorted({0, len(text), *(p[0] for p in pieces), *(p[1] for p in pieces)})
    opening: dict[int, list[int]] = {}
    closing: dict[int, list[int]] = {}
    for begin, end, number in pieces:
        opening.setdefault(begin, []).append(number)
        closing.setdefault(end, []).append(number)
    made: list[TextSegment] = []
    active: list[int] = []
    for begin, end in itertools.pairwise(edges):
        for number in closing.get(begin, ()):
            active.remove(number)
        active.extend(opening.get(begin, ()))
        ends = tuple(n for n in closing.get(end, ()) if last[n] == end)
        made.append(TextSegment(text[begin:end], tuple(sorted(set(active))), ends))
    return made
