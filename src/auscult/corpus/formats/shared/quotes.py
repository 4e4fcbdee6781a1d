"""Offsets checked against the text that a file quotes beside them.

Some formats repeat the words a span covers. That gives away offsets counted in another unit: the
quotes do not fit in the unit that was said, and do in the other. A quote that fits in no unit is
kept beside its span, in the annotation's meta under `quote`, for the doctor to report.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from auscult.core import Annotation, FormatError, Offsets, OffsetUnit, Span, SpanError
from auscult.corpus.formats.contract import Losses
from auscult.corpus.formats.shared.spans import to_span

QUOTE = "quote"
"""The meta key of a quoted text that differs from the text under the spans."""

_BREAK = re.compile(r"[\t\n\r\0]")
_UNITS = {
    OffsetUnit.CODEPOINT: "Unicode code points",
    OffsetUnit.UTF16: "UTF-16 units",
    OffsetUnit.UTF8: "bytes of UTF-8",
}


@dataclass(frozen=True, slots=True)
class Quoted:
    """A row that points at ranges of a note's text, in some unit, and quotes them."""

    row: int
    text: str = field(repr=False)
    ranges: tuple[tuple[int, int], ...]
    quote: str = field(repr=False)


Located = tuple[tuple[Span, ...], dict[str, str]]
"""The spans of a row, and its meta: the quoted text if it differs, otherwise empty."""


def covered(text: str, spans: Iterable[Span]) -> str:
    """What a file quotes for spans: their parts with a space between, on one line.

    >>> covered("renal\\nfailure, acute", [Span(15, 20), Span(0, 13)])
    'acute renal failure'
    """
    return " ".join(_BREAK.sub(" ", span.of(text)) for span in spans)


def quote_of(annotation: Annotation, text: str, losses: Losses) -> str:
    """The quote to write for an annotation: as it was read, if that differs from its spans."""
    spanned = covered(text, annotation.spans)
    if QUOTE not in annotation.meta:
        return spanned
    quote = annotation.meta[QUOTE]
    if quote == spanned or _BREAK.search(quote):
        losses.add(
            "annotations.meta", "quoted texts (meta) with line breaks", "written on one line"
        )
    return _BREAK.sub(" ", quote)


def locate(rows: Sequence[Quoted], unit: OffsetUnit, file: Path) -> list[Located]:
    """The spans of a file's rows, each with its quote where that differs.

    An offset that cannot be is an error. So is a unit in which quotes differ that mostly fit in
    another unit, when they are more than those that fit in this one alone.
    """
    found = _resolve(rows, unit)
    fits = [_fits(row, spans) for row, spans in zip(rows, found, strict=True)]
    if not all(fits):
        _refuse_unit(rows, fits, unit, file)
    located: list[Located] = []
    for row, spans, fit in zip(rows, found, fits, strict=True):
        if spans is None:  # then to_span says why not
            offsets = Offsets(row.text, unit)
            spans = tuple(to_span(b, e, offsets, file, row.row, unit) for b, e in row.ranges)
        located.append((spans, {} if fit else {QUOTE: row.quote}))
    return located


def _resolve(rows: Sequence[Quoted], unit: OffsetUnit) -> list[tuple[Span, ...] | None]:
    """The rows' spans in the unit; None where the offsets cannot be."""
    offsets: dict[str, Offsets] = {}
    found: list[tuple[Span, ...] | None] = []
    for row in rows:
        if row.text not in offsets:
            offsets[row.text] = Offsets(row.text, unit)
        try:
            found.append(tuple(offsets[row.text].span_to_codepoint(b, e) for b, e in row.ranges))
        except SpanError:
            found.append(None)
    return found


def _fits(row: Quoted, spans: tuple[Span, ...] | None) -> bool:
    return spans is not None and covered(row.text, spans) == row.quote


def _refuse_unit(
    rows: Sequence[Quoted], fits: Sequence[bool], unit: OffsetUnit, file: Path
) -> None:
    """Raise when another unit explains most of the quotes that differ.

    Rows where the two units agree say nothing, so those that fit in only one of them decide.
    """
    fitting = [row for row, fit in zip(rows, fits, strict=True) if fit]
    misfits = [row for row, fit in zip(rows, fits, strict=True) if not fit]
    gained = {other: _fitting(misfits, other) for other in OffsetUnit if other is not unit}
    best = max(gained, key=lambda other: len(gained[other]))
    if 2 * len(gained[best]) <= len(misfits):
        return
    if len(gained[best]) > len(fitting) - len(_fitting(fitting, best)):
        raise FormatError(
            f"the quoted text of {len(misfits)} of {len(rows)} rows, including this one, does "
            f"not match the note if offsets count {_UNITS[unit]}; {len(gained[best])} of these "
            f"match if they count {_UNITS[best]}: pass --offsets {best}",
            file,
            gained[best][0].row,
        )


def _fitting(rows: Sequence[Quoted], unit: OffsetUnit) -> list[Quoted]:
    found = _resolve(rows, unit)
    return [row for row, spans in zip(rows, found, strict=True) if _fits(row, spans)]
