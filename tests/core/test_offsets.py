"""Offsets in other units, against Python's own encoders."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.core import Offsets, OffsetUnit, Span, SpanError

# Characters whose widths differ, and the ones that break other tools: emoji, a family joined by
# zero-width joiners, combining marks, CRLF, NBSP, the last code point before the astral planes.
AWKWARD = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "a",
                "é",
                "e\u0301",
                "ß",
                "中",
                "\uffff",
                "😀",
                "👩\u200d⚕️",
                "\r\n",
                "\u00a0",
                "\t",
                "\U0010ffff",
            ]
        ),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=40,
).map("".join)


def units(text: str, unit: OffsetUnit) -> int:
    """How long a text is in a unit, by encoding it."""
    if unit is OffsetUnit.UTF16:
        return len(text.encode("utf-16-le")) // 2
    return len(text.encode("utf-8")) if unit is OffsetUnit.UTF8 else len(text)


@given(AWKWARD, st.sampled_from(OffsetUnit))
def test_every_offset_agrees_with_the_encoders_and_comes_back(text: str, unit: OffsetUnit) -> None:
    offsets = Offsets(text, unit)
    assert offsets.length == units(text, unit)
    for at in range(len(text) + 1):
        there = offsets.from_codepoint(at)
        assert there == units(text[:at], unit)
        assert offsets.to_codepoint(there) == at


@given(AWKWARD, st.sampled_from([OffsetUnit.UTF16, OffsetUnit.UTF8]))
def test_an_offset_inside_a_character_is_an_error(text: str, unit: OffsetUnit) -> None:
    offsets = Offsets(text, unit)
    edges = {units(text[:at], unit) for at in range(len(text) + 1)}
    for offset in set(range(offsets.length)) - edges:
        with pytest.raises(SpanError, match="in the middle of a character"):
            offsets.to_codepoint(offset)


@given(AWKWARD, st.sampled_from(OffsetUnit))
def test_offsets_outside_the_text_are_errors(text: str, unit: OffsetUnit) -> None:
    offsets = Offsets(text, unit)
    for offset in (-1, offsets.length + 1):
        with pytest.raises(SpanError, match="outside the text"):
            offsets.to_codepoint(offset)
    with pytest.raises(SpanError, match="outside the text"):
        offsets.from_codepoint(len(text) + 1)


def test_a_span_after_an_emoji() -> None:
    text = "pain 😀 severe"
    span = Span(text.index("severe"), len(text))
    for unit, expected in (
        (OffsetUnit.CODEPOINT, (7, 13)),
        (OffsetUnit.UTF16, (8, 14)),
        (OffsetUnit.UTF8, (10, 16)),
    ):
        offsets = Offsets(text, unit)
        assert offsets.span_from_codepoint(span) == expected
        assert offsets.span_to_codepoint(*expected) == span
