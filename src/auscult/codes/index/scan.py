"""The tokens of much text at once: where each begins and ends, and a number that stands for it.

Cuts as `tokens.tokenize` does, but with arrays instead of a regular expression. A token's number
is a polynomial hash modulo 2**64, the same for the same token everywhere, so that a token can be
looked up without making a string of it. Two words of a vocabulary of a million share a number with
a chance of one in forty million; a build that meets such a pair refuses it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_BLANK, _WORD, _SYMBOL, _NEWLINE, _HYPHEN = range(5)
_BASE = 0x9E3779B97F4A7C15
"""Odd, so that it has an inverse modulo 2**64. Part of the layout of a vocabulary."""

Integers = npt.NDArray[np.int64]


def _kind(character: str) -> int:
    if character == "\n":
        return _NEWLINE
    if character == "-":
        return _HYPHEN
    if character.isspace():
        return _BLANK
    return _WORD if character.isalnum() else _SYMBOL


_ASCII_KINDS = bytes(_kind(chr(point)) for point in range(128)) + bytes(128)


class ScannedTokens(NamedTuple):
    """Where each token begins and ends, its number, and which paragraph it is in."""

    begins: Integers
    ends: Integers
    numbers: npt.NDArray[np.uint64]
    paragraphs: Integers


class _Powers:
    """The powers of the base and of its inverse, as far as the longest text so far needs."""

    def __init__(self) -> None:
        self._up = self._down = np.ones(1, dtype=np.uint64)

    def up_to(self, length: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
        up, down = self._up, self._down
        if len(up) < length:
            size = 1 << (length - 1).bit_length()
            up, down = (
                np.full(size, base, dtype=np.uint64) for base in (_BASE, pow(_BASE, -1, 1 << 64))
            )
            for powers in (up, down):
                powers[0] = 1
                np.multiply.accumulate(powers, out=powers)
            self._up, self._down = up, down
        return up[:length], down


_powers = _Powers()


def scan(folded: str) -> ScannedTokens:
    """The tokens of a folded text, blank lines aside, which end a paragraph."""
    points, kinds = _read(folded)
    hyphens = np.flatnonzero(kinds == _HYPHEN)
    if len(hyphens):
        padded = np.concatenate([kinds, [_BLANK]])  # index -1 is the blank too
        joins = (padded[hyphens - 1] == _WORD) & (padded[hyphens + 1] == _WORD)
        kinds = kinds.copy()
        kinds[hyphens] = np.where(joins, _BLANK, _SYMBOL)
    word = np.zeros(len(kinds) + 2, dtype=np.int8)
    word[1:-1] = kinds == _WORD
    change = np.diff(word)
    begins, ends = np.flatnonzero(change > 0), np.flatnonzero(change < 0)
    symbols = np.flatnonzero(kinds == _SYMBOL)
    if len(symbols):
        begins = np.concatenate([begins, symbols])
        order = np.argsort(begins, kind="stable")
        begins, ends = begins[order], np.concatenate([ends, symbols + 1])[order]
    up, down = _powers.up_to(max(1, len(points)))
    sums = np.zeros(len(points) + 1, dtype=np.uint64)
    np.cumsum((points.astype(np.uint64) + np.uint64(1)) * up[: len(points)], out=sums[1:])
    numbers = (sums[ends] - sums[begins]) * down[begins]
    lines = np.flatnonzero(kinds == _NEWLINE)
    line = np.searchsorted(lines, begins)
    paragraphs = np.zeros(len(begins), dtype=np.int64)
    # Two newlines or more since the token before, which lies wholly on one line.
    np.cumsum(line[1:] - line[:-1] > 1, out=paragraphs[1:])
    return ScannedTokens(begins, ends, numbers, paragraphs)


def _read(folded: str) -> tuple[npt.NDArray[np.integer], npt.NDArray[np.uint8]]:
    if folded.isascii():
        raw = folded.encode("ascii")
        kinds = np.frombuffer(raw.translate(_ASCII_KINDS), dtype=np.uint8)
        return np.frombuffer(raw, dtype=np.uint8), kinds
    wide = np.frombuffer(folded.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    kinds = np.frombuffer(_ASCII_KINDS, dtype=np.uint8)[np.minimum(wide, 127)]
    beyond = np.flatnonzero(wide > 127)
    met, where = np.unique(wide[beyond], return_inverse=True)
    kinds[beyond] = np.array([_kind(chr(point)) for point in met.tolist()], dtype=np.uint8)[where]
    return wide, kinds
