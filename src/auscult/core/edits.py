"""Replacing parts of a text, and where every span is afterwards."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from auscult.core.errors import SpanError
from auscult.core.span import Span


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """The characters `begin` to `end` become `text`."""

    begin: int
    end: int
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Edited:
    """A text after edits that do not overlap, and the way from places before to places after.

    >>> edited = Edited.of("Mr. Foley has a Foley.", [Edit(4, 9, "Johnson")])
    >>> edited.text, edited.moved(Span(16, 21)).of(edited.text)
    ('Mr. Johnson has a Foley.', 'Foley')
    """

    text: str = field(repr=False)
    edits: tuple[Edit, ...] = field(repr=False)
    _begins: tuple[int, ...] = field(repr=False)
    _ends: tuple[int, ...] = field(repr=False)
    _growth: tuple[int, ...] = field(repr=False)

    @classmethod
    def of(cls, text: str, edits: Iterable[Edit]) -> Edited:
        """Apply the edits to the text."""
        made = tuple(sorted(edits))
        _check(made, len(text))
        pieces: list[str] = []
        at = 0
        for edit in made:
            pieces += (text[at : edit.begin], edit.text)
            at = edit.end
        pieces.append(text[at:])
        growth = accumulate((len(e.text) - (e.end - e.begin) for e in made), initial=0)
        return cls(
            "".join(pieces),
            made,
            tuple(e.begin for e in made),
            tuple(e.end for e in made),
            tuple(growth),
        )

    def moved(self, span: Span) -> Span:
        """Where the span's words are now.

        A span around a replaced range covers its replacement. An edge inside a replaced range
        moves outwards, to take in all of the replacement: what was pointed at is somewhere in it.
        A span is empty afterwards only if it was empty before, or if all it covered was replaced
        by nothing.
        """
        begin = self._moved(span.begin, outwards=False)
        end = begin if len(span) == 0 else self._moved(span.end, outwards=True)
        return Span(begin, end)

    def _moved(self, at: int, *, outwards: bool) -> int:
        # Edits that end at or before `at` have moved it. An empty edit at `at` itself lies before
        # a span that begins there, and after one that ends there.
        if outwards:
            past = bisect_left(self._begins, at)
            inside = past and self._ends[past - 1] > at
            past -= bool(inside)
        else:
            past = bisect_right(self._ends, at)
            inside = past < len(self.edits) and self._begins[past] < at
        if not inside:
            return at + self._growth[past]
        edit = self.edits[past]
        start = edit.begin + self._growth[past]
        return start + len(edit.text) if outwards else start


def moved_all(edited: Edited, spans: Sequence[Span]) -> tuple[tuple[Span, ...], int]:
    """The spans where they are now, and how many of them became empty and were left out."""
    moved = [(span, edited.moved(span)) for span in spans]
    emptied = sum(len(now) == 0 < len(before) for before, now in moved)
    return tuple(now for before, now in moved if len(now) or not len(before)), emptied


def _check(edits: Sequence[Edit], length: int) -> None:
    at = 0
    for edit in edits:
        if not at <= edit.begin <= edit.end <= length:
            raise SpanError(
                f"Edits must not overlap and must lie within the text's {length} characters; "
                f"the edit {edit.begin}–{edit.end} begins before {at} or ends past the text."
            )
        at = edit.end
