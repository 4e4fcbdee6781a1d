"""Charts as sequences: every word can be found again in its note."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from auscult.core import Note, Span
from auscult.core.tokens import tokens
from auscult.models.chart_text import read_chart

TEXTS = st.lists(st.text(st.sampled_from("aB9 ,.\n\r\u0130ß🫀é½²٣"), max_size=40), max_size=4)


def chart(texts: list[str]) -> list[Note]:
    return [Note(f"n{number}", "c", text=text) for number, text in enumerate(texts)]


@given(TEXTS, st.booleans())
def test_every_word_is_where_the_sequence_says(texts: list[str], numbers: bool) -> None:
    text = read_chart("c", chart(texts), numbers=numbers)
    for at, word in enumerate(text.words):
        note, span = text.place(at, at + 1)
        assert note.text is not None
        assert span.of(note.text).lower() == word
        assert text.words_in(note.note_id, span) == (at, at + 1)
    expected = [token.word for one in texts for token in tokens(one, numbers=numbers)]
    assert list(text.words) == expected


@given(TEXTS, st.integers(0, 6), st.integers(0, 6))
def test_the_words_of_a_span_are_those_it_touches(texts: list[str], begin: int, size: int) -> None:
    text = read_chart("c", chart(texts), numbers=True)
    for note in text.notes:
        span = Span(begin, begin + size)
        touched = [
            at
            for at in range(len(text))
            if text.place(at, at + 1)[0] is note and text.place(at, at + 1)[1].overlaps(span)
        ]
        found = text.words_in(note.note_id, span)
        assert found == ((touched[0], touched[-1] + 1) if touched else None)


def test_the_discharge_summary_comes_first_and_the_end_is_cut() -> None:
    notes = [
        Note("1", "c", category="Nursing", text="alpha beta"),
        Note("2", "c", category="Discharge summary", text="gamma delta"),
        Note("3", "c", category="Radiology", text=None),
    ]
    text = read_chart("c", notes, longest=3)
    assert text.words == ("gamma", "delta", "alpha")
    assert text.cut == 1
    assert text.place(2, 3) == (notes[0], Span(0, 5))
    assert text.words_in("1", Span(6, 10)) is None
    assert text.words_in("unknown", Span(0, 5)) is None


def test_large_numbers_are_left_out_unless_wanted() -> None:
    note = Note("1", "c", text="Na 140, O2 2 L, 10 mg, 5² cm")
    assert "140" not in read_chart("c", [note]).words
    assert {"2", "10", "5²"} <= set(read_chart("c", [note]).words)
    assert "140" in read_chart("c", [note], numbers=True).words
