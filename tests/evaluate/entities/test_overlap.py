"""Shared characters, against looking at every character."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auscult.evaluate.entities import overlap
from auscult.evaluate.entities.overlap import TextPieces, covered, overlapping

Piece = tuple[int, int, int]
"""Line, begin, length."""
pieces_of = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 12), st.integers(1, 6)), max_size=12
)


def pieces(rows: Sequence[Piece]) -> TextPieces:
    line, begin, length = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return TextPieces(np.arange(len(rows)), line * 1000, begin, begin + length)


@given(pieces_of, pieces_of, st.integers(1, 9))
@settings(max_examples=150)
def test_pairs_and_shared_characters(one: list[Piece], other: list[Piece], at_once: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overlap, "_PAIRS_AT_ONCE", at_once)
        left, right, shared = overlapping(pieces(one), pieces(other))
    found = set(zip(left.tolist(), right.tolist(), shared.tolist(), strict=True))

    def characters(piece: Piece) -> set[tuple[int, int]]:
        return {(piece[0], at) for at in range(piece[1], piece[1] + piece[2])}

    expected = {
        (i, j, len(characters(a) & characters(b)))
        for i, a in enumerate(one)
        for j, b in enumerate(other)
        if characters(a) & characters(b)
    }
    assert found == expected


@given(pieces_of)
@settings(max_examples=100)
def test_covered_characters(rows: list[Piece]) -> None:
    laid = pieces(rows)
    found = covered(laid, laid.line // 1000, 4)
    for line in range(4):
        expected = {at for n, b, size in rows if n == line for at in range(b, b + size)}
        assert found[line] == len(expected)


def test_parts_of_a_span_count_together() -> None:
    one = TextPieces(*(np.array(x) for x in ([0, 0], [0, 0], [0, 10], [5, 15])))
    other = TextPieces(*(np.array(x) for x in ([7], [0], [3], [12])))
    assert [x.tolist() for x in overlapping(one, other)] == [[0], [7], [4]]
