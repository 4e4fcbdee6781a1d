"""No piece of a note is lost or read twice, and every piece is of the words it is a part of."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.neural.tiny import tokenizer
from tokenizers import Tokenizer, models, pre_tokenizers

from auscult.core import AuscultError, Note
from auscult.models.chart_text import ChartText, read_chart
from auscult.models.neural.chunks import cut
from auscult.models.neural.layout import lay_out
from auscult.models.neural.subwords import ChartPieces, Subwords


def byte_level() -> Tokenizer:
    """One piece a byte, as GPT-2 and RoBERTa have it: an emoji is four pieces."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE({piece: at for at, piece in enumerate(alphabet)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return made


def whole_lines() -> Tokenizer:
    """Pieces that are of several words."""
    made = Tokenizer(models.WordLevel({"?": 0, "1.5 mg": 1}, unk_token="?"))
    made.pre_tokenizer = pre_tokenizers.Split("|", "removed")
    return made


TOKENIZERS = {"wordpiece": tokenizer(), "bytes": byte_level(), "lines": whole_lines()}
TEXTS = st.text(
    st.one_of(st.sampled_from("ab 1٣.,_'\n|é😀\u0301İßﬁ\ud800\u200b"), st.characters()), max_size=80
)


def chart(*texts: str, longest: int | None = None) -> ChartText:
    notes = [Note(f"n{at}", "c", text=text) for at, text in enumerate(texts)]
    return read_chart("c", notes, longest=longest)


@given(st.lists(st.booleans(), max_size=200), st.integers(1, 40), st.data())
def test_chunks_read_every_piece_once_with_context_on_both_sides(
    starts: list[bool], room: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, room - 1))
    made = cut(np.array(starts, bool), room, overlap)
    read = [place for chunk in made for place in range(chunk.first, chunk.last)]
    assert read == list(range(len(starts)))
    for chunk in made:
        assert chunk.begin <= chunk.first < chunk.last <= chunk.end <= chunk.begin + room
        assert chunk.begin == 0 or chunk.first - chunk.begin >= overlap // 2
        assert chunk.end == len(starts) or chunk.end - chunk.last >= overlap // 2


@given(st.lists(st.integers(1, 8), max_size=60), st.integers(16, 40))
def test_a_word_is_read_in_one_chunk(sizes: list[int], room: int) -> None:
    # Words of at most 8 pieces, and room for 8 beside the overlap.
    starts = np.array([at == 0 for size in sizes for at in range(size)], bool)
    edges = {chunk.first for chunk in cut(starts, room, 8)}
    assert edges <= {sum(sizes[:at]) for at in range(len(sizes))}


@pytest.mark.parametrize("name", list(TOKENIZERS))
@settings(deadline=None)
@given(texts=st.lists(TEXTS, min_size=1, max_size=3), longest=st.none() | st.integers(1, 12))
def test_pieces_are_of_the_words_they_share_characters_with(
    name: str, texts: list[str], longest: int | None
) -> None:
    text = chart(*texts, longest=longest)
    made = Subwords.of(TOKENIZERS[name], 12, 4).pieces(text)
    expected: set[tuple[int, int]] = set()
    ids: list[int] = []
    for at, note in enumerate(text.notes):
        mine = [word for word in range(len(text)) if text.note_of[word] == at]
        if not mine:
            continue
        end = text.ends[mine[-1]] if text.cut and mine[-1] == len(text) - 1 else None
        written = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in note.text or "")
        found = TOKENIZERS[name].encode(written[:end], add_special_tokens=False)
        for piece, (first, last) in enumerate(found.offsets, len(ids)):
            expected |= {
                (piece, word)
                for word in mine
                if set(range(first, last)) & set(range(text.begins[word], text.ends[word]))
            }
        ids += found.ids
    assert made.ids.tolist() == ids
    assert set(zip(made.piece_of.tolist(), made.word_of.tolist(), strict=True)) == expected
    assert len(made.piece_of) == len(expected)


@settings(deadline=None)
@given(texts=st.lists(TEXTS, min_size=1, max_size=3))
def test_weights_of_pieces_are_neither_lost_nor_doubled(texts: list[str]) -> None:
    text = chart(*texts)
    made = Subwords.of(TOKENIZERS["lines"], 12, 4).pieces(text)
    weights = np.arange(1, len(made) + 1, dtype=np.float32)
    of_words = weights[np.unique(made.piece_of)].sum()
    np.testing.assert_allclose(made.summed(weights, len(text)).sum(), of_words, rtol=1e-5)


def test_a_piece_takes_few_bytes() -> None:
    made = Subwords.of(TOKENIZERS["wordpiece"], 12, 4).pieces(chart("hypertension " * 50))
    arrays = (made.ids, made.piece_of, made.word_of, made.share)
    assert sum(array.nbytes for array in arrays) == 16 * len(made)


def test_a_words_weight_is_the_sum_of_its_pieces_or_the_largest() -> None:
    text = chart("Hypertension, 150/90")
    made = Subwords.of(TOKENIZERS["wordpiece"], 12, 4).pieces(text)  # hyper ##tension , 1 ##5 …
    weights = np.linspace(0.1, 0.7, len(made), dtype=np.float32)
    assert text.words == ("hypertension",)
    assert made.summed(weights, 1).tolist() == [weights[0] + weights[1]]
    assert made.largest(weights, 1).tolist() == [weights[1]]
    assert made.of_words(0, 1).tolist() == [0, 1]


def test_a_piece_of_two_words_is_shared_between_them() -> None:
    text = chart("1.5 mg|1")
    made = Subwords.of(TOKENIZERS["lines"], 12, 4).pieces(text)
    weights = np.array([0.6, 0.2], np.float32)
    np.testing.assert_allclose(made.summed(weights, 4), [0.2, 0.2, 0.2, 0.2], rtol=1e-6)
    np.testing.assert_allclose(made.largest(weights, 4), [0.6, 0.6, 0.6, 0.2], rtol=1e-6)


def test_text_behind_the_last_word_of_a_cut_chart_is_not_read() -> None:
    subwords = Subwords.of(TOKENIZERS["bytes"], 12, 4)
    whole, cut_off = chart("ab cd", "ef"), chart("ab cd", "ef", longest=1)
    assert len(subwords.pieces(whole)) == len("ab cdef")
    assert len(subwords.pieces(cut_off)) == len("ab")


@settings(deadline=None)
@given(
    lengths=st.lists(st.lists(st.integers(1, 60), min_size=1, max_size=3), min_size=1, max_size=4),
    at_once=st.integers(1, 5),
)
def test_a_layout_puts_every_piece_into_the_encoder_and_finds_it_again(
    lengths: list[list[int]], at_once: int
) -> None:
    subwords = Subwords.of(TOKENIZERS["wordpiece"], 12, 4)
    charts = [subwords.pieces(chart(*("a " * length for length in some))) for some in lengths]
    longest = max(map(len, charts))
    layout = lay_out(charts, longest, subwords, at_once)
    # An encoder that gives back where each of its inputs came from.
    outputs = np.concatenate([group.source.numpy().ravel() for group in layout.groups])
    is_there = np.concatenate([group.mask.numpy().ravel() for group in layout.groups])
    specials = len(subwords.before + subwords.after)
    for row, one in enumerate(charts):
        places = layout.places.numpy()[row, : len(one)]
        assert is_there[places].all()
        assert (outputs[places] == specials + row * longest + np.arange(len(one))).all()
    for group in layout.groups:
        assert len(group.source) <= at_once
        assert group.source.shape[1] <= 12
        _check_lines(group.source.numpy(), group.mask.numpy(), charts, longest)


def _check_lines(
    source: npt.NDArray[np.int64],
    mask: npt.NDArray[np.bool_],
    charts: list[ChartPieces],
    longest: int,
) -> None:
    """Every line is [CLS], neighbors of one chart, [SEP], and then padding."""
    for line, seen in zip(source, mask, strict=True):
        assert seen.tolist() == sorted(seen.tolist(), reverse=True)
        inside = line[seen]
        assert (inside[0], inside[-1]) == (0, 1)
        assert (np.diff(inside[1:-1]) == 1).all()
        first, last = ((int(place) - 2) // longest for place in inside[[1, -2]])
        assert first == last
        assert (int(inside[-2]) - 2) % longest < len(charts[first])


def test_a_chunk_never_spans_two_notes() -> None:
    subwords = Subwords.of(TOKENIZERS["wordpiece"], 12, 4)
    made = subwords.pieces(chart("a b c", "d e"))
    assert [(one.begin, one.end) for one in made.chunks] == [(0, 3), (3, 5)]


@pytest.mark.parametrize(("chunk", "overlap"), list(itertools.product((4, 8), (6, 100))))
def test_an_overlap_that_leaves_no_room_is_refused(chunk: int, overlap: int) -> None:
    with pytest.raises(AuscultError, match="lower chunk_overlap"):
        Subwords.of(TOKENIZERS["wordpiece"], chunk, overlap)
