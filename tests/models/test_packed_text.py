"""Packed charts are the charts they were packed from, and smaller."""

from __future__ import annotations

import gc
import random
import weakref
from dataclasses import fields, replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from auscult.core import Note, Span
from auscult.models.chart_text import ChartText, read_chart
from auscult.models.lexicon.lexicon_text import LexiconReader
from auscult.models.lexicon.prepared_charts import PreparedCharts
from auscult.models.packed_text import PackedText, WordTable

TEXTS = st.one_of(
    st.none(),
    st.text("ab1. \nİé\U0001f600\ud800", max_size=60),
    st.tuples(st.integers(0, 70_000), st.text("ab ", min_size=1, max_size=20)).map(
        lambda both: "." * both[0] + both[1]
    ),
)
NOTES = st.lists(
    st.tuples(TEXTS, st.sampled_from([None, "Nursing", "Discharge summary"])), max_size=4
)


def chart(given: list[tuple[str | None, str | None]], longest: int | None = None) -> ChartText:
    notes = [
        Note(str(at), "c", "p", category, "2150-01-01", text, "train", {"row": str(at)}, ("ann",))
        for at, (text, category) in enumerate(given)
    ]
    return read_chart("c", notes, longest=longest)


def same(one: ChartText, other: ChartText) -> None:
    assert one.chart_id == other.chart_id
    assert one.cut == other.cut
    assert (one.words, one.notes, len(one)) == (other.words, other.notes, len(other))
    for name in ("note_of", "begins", "ends"):
        first, second = getattr(one, name), getattr(other, name)
        assert first.dtype == second.dtype
        assert first.tolist() == second.tolist()
    assert (one.patient, one.categories) == (other.patient, other.categories)


@given(NOTES, st.integers(1, 12) | st.none())
@settings(max_examples=examples(80), deadline=None)
def test_what_is_packed_comes_out_again(
    given: list[tuple[str | None, str | None]], longest: int | None
) -> None:
    text = chart(given, longest)
    packed = PackedText.of(text, WordTable())
    same(packed, text)
    same(packed.unpacked(), text)
    same(packed.renamed("c"), text)
    same(replace(packed), text)
    for note in text.notes:
        length = len(note.text or "")
        for span in (Span(0, length), Span(length // 3, length // 2)):
            assert packed.words_in(note.note_id, span) == text.words_in(note.note_id, span)
    assert not any("text" in field.name for field in fields(text))


def test_charts_share_the_words_and_take_a_third_of_the_memory() -> None:
    dice = random.Random(0)
    words = ["".join(dice.choices("abcdefgh", k=6)) for _ in range(500)]
    texts = [chart([(" ".join(dice.choices(words, k=1_400)), None)]) for _ in range(5)]
    table = WordTable()
    packed = [PackedText.of(text, table) for text in texts]
    assert sorted(table.words) == sorted({word for text in texts for word in text.words})
    for text, one in zip(texts, packed, strict=True):
        same(one, text)
        whole = text.begins.nbytes + text.ends.nbytes + text.note_of.nbytes
        whole += 8 * len(text) + len(text.notes[0].text or "")
        kept = one.numbers.nbytes + one._gaps.nbytes + one._sizes.nbytes + len(one._letters)
        assert 2.5 * kept < whole


def test_a_packed_chart_shows_no_text() -> None:
    packed = PackedText.of(chart([("Secret words.", "Nursing")]), WordTable())
    assert "ecret" not in repr(packed)


def test_charts_are_prepared_again_as_they_were() -> None:
    texts = [
        chart([("Fever. No cough;\n\nStable\non E. coli", None), ("More fever: 3", "Nursing")]),
        chart([("", None)]),
        chart([("cough", None)]),
    ]
    table = WordTable()
    for held in (texts, [PackedText.of(text, table) for text in texts]):
        reader = LexiconReader("english")
        prepared = PreparedCharts(reader, held)
        assert len(prepared) == 3
        for at, text in enumerate(texts):
            expected = reader.prepare(text)
            for found in (prepared[at], prepared[at : at + 1][0], list(prepared)[at]):
                same(found.text, text)
                for name in ("words", "sentences", "gaps"):
                    one, other = getattr(found, name), getattr(expected, name)
                    assert one.dtype == other.dtype == np.int32
                    assert one.tolist() == other.tolist()


def test_no_note_outlives_the_charts() -> None:
    table = WordTable()
    note = Note("n", "c", text="No fever today.")
    packed = PackedText.of(read_chart("c", [note]), table)
    assert packed.words[1:] == ("fever", "today")
    gone = weakref.ref(table)
    del table, packed
    gc.collect()
    assert gone() is None
