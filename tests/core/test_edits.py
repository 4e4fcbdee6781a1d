"""Spans after replacements: exact, for any text, any replacements, any span."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.core import Span, SpanError
from auscult.core.edits import Edit, Edited, moved_all


@st.composite
def edited_texts(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = draw(st.text(max_size=40))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    edits = [
        Edit(begin, end, draw(st.text(max_size=6)))
        for begin, end in zip(cuts[::2], cuts[1::2], strict=False)
        if begin < end
    ]
    return text, edits


@st.composite
def edited_spans(draw: st.DrawFn) -> tuple[str, list[Edit], Span]:
    text, edits = draw(edited_texts())
    begin = draw(st.integers(0, len(text)))
    return text, edits, Span(begin, draw(st.integers(begin, len(text))))


def letter_by_letter(text: str, edits: list[Edit]) -> list[tuple[str, int | None]]:
    """The new text one character at a time, with the place each had; None for what is new."""
    made: list[tuple[str, int | None]] = []
    at = 0
    for edit in edits:
        made += [(text[i], i) for i in range(at, edit.begin)]
        made += [(c, None) for c in edit.text]
        at = edit.end
    return made + [(text[i], i) for i in range(at, len(text))]


@given(edited_texts())
def test_the_text_is_what_replacing_by_hand_gives(made: tuple[str, list[Edit]]) -> None:
    text, edits = made
    assert Edited.of(text, edits).text == "".join(c for c, _ in letter_by_letter(text, edits))


@given(edited_spans())
def test_a_span_covers_what_is_left_of_it_and_no_other_word(
    made: tuple[str, list[Edit], Span],
) -> None:
    text, edits, span = made
    letters = letter_by_letter(text, edits)
    now = Edited.of(text, edits).moved(span)
    assert now.end <= len(letters)
    covered = [place for _, place in letters[now.begin : now.end] if place is not None]
    replaced = {i for edit in edits for i in range(edit.begin, edit.end)}
    assert covered == [i for i in range(span.begin, span.end) if i not in replaced]


@given(edited_spans())
def test_a_span_takes_in_each_replacement_it_touched(
    made: tuple[str, list[Edit], Span],
) -> None:
    text, edits, span = made
    edited = Edited.of(text, edits)
    now = edited.moved(span)
    grown = 0
    for edit in edits:
        begin = edit.begin + grown
        end = begin + len(edit.text)
        grown += len(edit.text) - (edit.end - edit.begin)
        if span.overlaps(Span(edit.begin, edit.end)):
            assert now.begin <= begin
            assert end <= now.end
        else:
            assert not now.overlaps(Span(begin, end))


@given(edited_spans())
def test_a_span_is_empty_only_when_all_it_covered_is_gone(
    made: tuple[str, list[Edit], Span],
) -> None:
    text, edits, span = made
    now = Edited.of(text, edits).moved(span)
    touched = [e for e in edits if span.overlaps(Span(e.begin, e.end))]
    gone = {i for e in touched for i in range(e.begin, e.end)}
    nothing = all(i in gone for i in range(span.begin, span.end)) and not any(
        e.text for e in touched
    )
    assert (len(now) == 0) == nothing


def test_inside_across_and_around() -> None:
    text = "Mr. Hernandez has a cough"
    edited = Edited.of(text, [Edit(4, 13, "Li")])
    assert edited.text == "Mr. Li has a cough"
    assert edited.moved(Span(6, 9)).of(edited.text) == "Li"
    assert edited.moved(Span(0, 6)).of(edited.text) == "Mr. Li"
    assert edited.moved(Span(0, 17)).of(edited.text) == "Mr. Li has"
    assert edited.moved(Span(20, 25)).of(edited.text) == "cough"


def test_what_became_empty_is_left_out_and_counted() -> None:
    edited = Edited.of("ab cd", [Edit(0, 2, "")])
    assert moved_all(edited, [Span(0, 2), Span(3, 5)]) == ((Span(1, 3),), 1)
    assert moved_all(edited, [Span(3, 3)]) == ((Span(1, 1),), 0)


@pytest.mark.parametrize("edits", [[Edit(0, 3, ""), Edit(2, 4, "")], [Edit(0, 9, "")]])
def test_edits_that_overlap_or_go_past_the_text_are_errors(edits: list[Edit]) -> None:
    with pytest.raises(SpanError):
        Edited.of("abcd", edits)
