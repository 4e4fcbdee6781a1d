"""Quoted text gives away offsets in the wrong unit; a single slip is kept for the doctor."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auscult.core import Annotation, Code, FormatError, Offsets, OffsetUnit, Span
from auscult.corpus.formats.contract import Losses
from auscult.corpus.formats.shared.quotes import Quoted, covered, locate, quote_of

FILE = Path("some.ann")
HEART = "🫀 sepsis, no fever"
ACCENTS = "Señora con tórax, sepsis y diálisis"


def _row(text: str, word: str, unit: OffsetUnit, row: int = 1) -> Quoted:
    begin = text.index(word)
    ends = Offsets(text, unit).span_from_codepoint(Span(begin, begin + len(word)))
    return Quoted(row, text, (ends,), word)


def test_quotes_that_fit_leave_nothing_behind() -> None:
    rows = [_row(HEART, "sepsis", OffsetUnit.CODEPOINT), _row(HEART, "fever", OffsetUnit.CODEPOINT)]
    assert locate(rows, OffsetUnit.CODEPOINT, FILE) == [((Span(2, 8),), {}), ((Span(13, 18),), {})]


@pytest.mark.parametrize("unit", list(OffsetUnit))
def test_every_unit_is_read_when_said(unit: OffsetUnit) -> None:
    rows = [_row(ACCENTS, word, unit) for word in ("Señora", "sepsis", "diálisis")]
    spans = [spans for spans, _ in locate(rows, unit, FILE)]
    assert [covered(ACCENTS, s) for s in spans] == ["Señora", "sepsis", "diálisis"]


def test_one_quote_that_differs_is_kept() -> None:
    rows = [Quoted(1, HEART, ((2, 8),), "sepsi"), _row(HEART, "fever", OffsetUnit.CODEPOINT)]
    assert locate(rows, OffsetUnit.CODEPOINT, FILE) == [
        ((Span(2, 8),), {"quote": "sepsi"}),
        ((Span(13, 18),), {}),
    ]


def test_quotes_that_fit_in_no_unit_are_kept() -> None:
    rows = [Quoted(i, ACCENTS, ((i, i + 3),), "nowhere") for i in range(9)]
    assert all(meta == {"quote": "nowhere"} for _, meta in locate(rows, OffsetUnit.CODEPOINT, FILE))


@pytest.mark.parametrize(
    ("text", "actual", "said"),
    [
        (HEART, OffsetUnit.UTF16, OffsetUnit.CODEPOINT),
        (HEART, OffsetUnit.UTF8, OffsetUnit.CODEPOINT),
        (ACCENTS, OffsetUnit.UTF8, OffsetUnit.CODEPOINT),
        (ACCENTS, OffsetUnit.UTF8, OffsetUnit.UTF16),
        (HEART, OffsetUnit.CODEPOINT, OffsetUnit.UTF16),
        (ACCENTS, OffsetUnit.CODEPOINT, OffsetUnit.UTF8),
        (HEART, OffsetUnit.UTF16, OffsetUnit.UTF8),
    ],
)
def test_the_wrong_unit_is_an_error_that_names_the_right_one(
    text: str, actual: OffsetUnit, said: OffsetUnit
) -> None:
    rows = [_row(text, "sepsis", actual, row=4)]
    with pytest.raises(FormatError, match=f"pass --offsets {actual}") as caught:
        locate(rows, said, FILE)
    assert (caught.value.file, caught.value.row) == (FILE, 4)
    assert "sepsis" not in str(caught.value)


def test_one_note_with_an_emoji_among_plain_ones_is_enough() -> None:
    plain = "acute sepsis without shock"
    rows = [_row(plain, "sepsis", OffsetUnit.UTF16, i) for i in range(1, 100)]
    rows.append(_row(HEART, "sepsis", OffsetUnit.UTF16, 100))
    with pytest.raises(FormatError, match="pass --offsets utf16") as caught:
        locate(rows, OffsetUnit.CODEPOINT, FILE)
    assert caught.value.row == 100


def test_a_slip_that_fits_another_unit_does_not_outweigh_rows_that_fit_this_one() -> None:
    rows = [_row(ACCENTS, word, OffsetUnit.CODEPOINT) for word in ("sepsis", "diálisis", "con")]
    rows.append(_row(ACCENTS, "sepsis", OffsetUnit.UTF8))
    assert [meta for _, meta in locate(rows, OffsetUnit.CODEPOINT, FILE)][-1] == {"quote": "sepsis"}


@pytest.mark.parametrize("ranges", [((0, 19),), ((5, 3),), ((-1, 3),), ((0, 2), (18, 99))])
def test_offsets_that_cannot_be_are_errors_with_file_and_row(
    ranges: tuple[tuple[int, int], ...],
) -> None:
    with pytest.raises(FormatError) as caught:
        locate([Quoted(7, HEART, ranges, "x")], OffsetUnit.CODEPOINT, FILE)
    assert (caught.value.file, caught.value.row) == (FILE, 7)
    assert "sepsis" not in str(caught.value)


def test_inside_a_character_is_an_error() -> None:
    with pytest.raises(FormatError, match="in the middle of a character"):
        locate([Quoted(7, HEART, ((1, 4),), "x")], OffsetUnit.UTF16, FILE)


def test_parts_are_quoted_in_their_order_on_one_line() -> None:
    text = "renal\r\nfailure\t(acute)"
    assert covered(text, [Span(16, 21), Span(0, 14)]) == "acute renal  failure"


def test_the_quote_that_was_read_is_written_again() -> None:
    annotation = Annotation("a", Code("X", "1"), "c", "n", (Span(2, 8),), meta={"quote": "sepsi"})
    losses = Losses()
    assert quote_of(annotation, HEART, losses) == "sepsi"
    assert losses.list() == []
    broken = Annotation("a", Code("X", "1"), "c", "n", (Span(2, 8),), meta={"quote": "sep\nsi"})
    assert quote_of(broken, HEART, losses) == "sep si"
    assert [loss.count for loss in losses.list()] == [1]


@settings(deadline=None)
@given(
    st.text("ab é🫀\u0301\r\n", min_size=1, max_size=30),
    st.data(),
    st.sampled_from(list(OffsetUnit)),
)
def test_locating_what_was_quoted_gives_the_spans_again(
    text: str, data: st.DataObject, unit: OffsetUnit
) -> None:
    edges = st.integers(0, len(text))
    pairs = data.draw(st.lists(st.tuples(edges, edges), min_size=1, max_size=4))
    spans = [Span(min(pair), max(pair)) for pair in pairs]
    offsets = Offsets(text, unit)
    rows = [
        Quoted(i, text, (offsets.span_from_codepoint(span),), covered(text, [span]))
        for i, span in enumerate(spans)
    ]
    assert locate(rows, unit, FILE) == [((span,), {}) for span in spans]
