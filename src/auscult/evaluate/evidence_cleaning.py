"""Cleaning of evidence spans before evaluation, as in MDACE's scripts."""

from __future__ import annotations

import string
from collections.abc import Iterable

from auscult.core import Span
from auscult.core.span import union

_EITHER = "-.,/"
_LEFT, _RIGHT = _EITHER + ")", _EITHER + "("
_BETWEEN = frozenset(string.punctuation + string.whitespace)


def trimmed(covered: str) -> Span:
    """The part of a covered text without `-.,/` and white space at both ends, `)` on the left and
    `(` on the right. Of nothing but these, the empty span at the end remains.

    >>> trimmed(" (fever), "), trimmed("- , ")
    (Span(begin=1, end=8), Span(begin=4, end=4))
    """
    begin, end = 0, len(covered)
    while begin < end and _goes(covered[begin], _LEFT):
        begin += 1
    while end > begin and _goes(covered[end - 1], _RIGHT):
        end -= 1
    return Span(begin, end)


def merged(spans: Iterable[Span], text: str) -> tuple[Span, ...]:
    """The spans of one code, joined where ASCII punctuation and white space alone is between.

    Overlapping and nested spans become the span of all their characters. (MDACE's script shrinks
    nested ones, and leaves neighbors apart when a span of another code begins between them.)

    >>> merged([Span(7, 14), Span(0, 5), Span(8, 9)], "acute, chronic pain")
    (Span(begin=0, end=14),)
    """
    joined: list[Span] = []
    for span in union(spans):
        if joined and _BETWEEN.issuperset(text[joined[-1].end : span.begin]):
            joined[-1] = Span(joined[-1].begin, span.end)
        else:
            joined.append(span)
    return tuple(joined)


def _goes(character: str, strip: str) -> bool:
    return character in strip or character.isspace()
