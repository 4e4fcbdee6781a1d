"""Spans as formats write them, checked against the note they point into."""

from __future__ import annotations

from pathlib import Path

from auscult.core import FormatError, Offsets, OffsetUnit, Span, SpanError


def past_end(end: int, length: int, unit: OffsetUnit = OffsetUnit.CODEPOINT) -> str:
    """What to say of a span that ends after its note does.

    >>> past_end(412, 398)
    "end 412 is past the note's 398 characters. Offsets count Unicode code points; if yours are \
bytes or UTF-16 units, pass --offsets utf8 or --offsets utf16."
    """
    if unit is OffsetUnit.CODEPOINT:
        return (
            f"end {end} is past the note's {length} characters. Offsets count Unicode code points; "
            "if yours are bytes or UTF-16 units, pass --offsets utf8 or --offsets utf16."
        )
    return (
        f"end {end} is past the note's {length} units ({unit}). If the offsets count Unicode code "
        "points, pass --offsets codepoint."
    )


def to_span(
    begin: int,
    end: int,
    offsets: Offsets | None,
    file: Path,
    row: int | None = None,
    unit: OffsetUnit = OffsetUnit.CODEPOINT,
) -> Span:
    """The span of code points that a file's two numbers mean.

    `offsets` knows the note's text; without it, only the numbers themselves can be checked.
    """
    if not 0 <= begin <= end:
        raise FormatError(f"a span needs 0 ≤ begin ≤ end; got {begin}–{end}.", file, row)
    if offsets is None:
        return Span(begin, end)
    if end > offsets.length:
        raise FormatError(past_end(end, offsets.length, unit), file, row)
    try:
        return offsets.span_to_codepoint(begin, end)
    except SpanError as error:
        raise FormatError(
            f"{error} If the offsets count another unit, pass --offsets.", file, row
        ) from error
