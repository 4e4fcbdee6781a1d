"""Features of a token: its form, its neighbors, and the vocabulary's terms around it.

The features of each distinct word are computed once and kept as hashes; those of neighbors and
pairs are computed from these for all tokens of a note together.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse

from auscult.codes.index.stems import stem
from auscult.models.entities.tagger.tokens import Sentences

BUCKETS = 1 << 18
_NONE = 0
_MIX = 0x9E3779B1
_RUNS = re.compile(r"(.)\1+")
_FORM = 13
"""Numbers kept for a word: first the word, its stem and its shape, then its beginnings and ends."""

Integers = npt.NDArray[np.int64]


def _number(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) | 1


def _shape(word: str) -> str:
    return "".join(
        "A" if c.isupper() else "a" if c.islower() else "0" if c.isdecimal() else c for c in word
    )


def _form(word: str, language: str) -> list[int]:
    low = word.lower()
    shape = _shape(word)
    runs = _RUNS.sub(r"\1", shape)
    names = [f"w {low}", f"t {stem(low, language)}", f"s {runs}", f"l {shape[:8]}"]
    names += [f"p{n} {low[:n]}" for n in (2, 3, 4, 5) if len(low) > n]
    names += [f"e{n} {low[-n:]}" for n in (2, 3, 4, 5) if len(low) > n]
    if word.isupper() and 1 < len(word) <= 6:
        names.append("short")
    numbers = [_number(one) for one in names][:_FORM]
    return numbers + [_NONE] * (_FORM - len(numbers))


class TokenFeatures:
    """Makes the features of notes; remembers the forms of words."""

    def __init__(self, language: str = "english") -> None:
        self._language = language
        self._known: dict[str, int] = {}
        self._forms: list[list[int]] = []
        self._table: Integers = np.zeros((0, _FORM), np.int64)

    def of(self, found: Sentences, *tagged: Integers) -> sparse.csr_matrix:
        """The features of a note's tokens. `tagged` are small numbers known of each token."""
        forms = self._lookup(found.words)  # (n, forms)
        count = len(forms)
        sentence = np.repeat(np.arange(len(found.lengths)), found.lengths)
        columns: list[Integers] = [forms]

        def beside(values: Integers, by: int) -> Integers:
            """Values of the tokens so many places on, 1 past the sentence."""
            moved = np.ones_like(values)
            if by > 0 and count > by:
                moved[:-by] = np.where((sentence[by:] == sentence[:-by])[:, None], values[by:], 1)
            elif by < 0 and count > -by:
                moved[-by:] = np.where((sentence[-by:] == sentence[:by])[:, None], values[:by], 1)
            return moved

        columns += [_mixed(beside(forms[:, [0, 1, 2, 8, 9, 10]], by), 10 + by) for by in (-1, 1)]
        columns += [_mixed(beside(forms[:, [0, 1]], by), 20 + by) for by in (-3, -2, 2, 3)]
        # Pairs of neighbors: words, stems and shapes.
        before, after = beside(forms[:, :3], -1), beside(forms[:, :3], 1)
        columns += [
            _mixed(before * 31 + forms[:, :3], 31),
            _mixed(forms[:, :3] * 31 + after, 32),
            _mixed(before * 31 + after, 33),
        ]
        for number, values in enumerate(tagged):
            own = (values + 2)[:, None]
            left, right = beside(own, -1), beside(own, 1)
            columns += [
                _mixed(own, 40 + number),
                _mixed(left * 101 + own, 50 + number),
                _mixed(own * 101 + right, 60 + number),
                _mixed(own * 7 + forms[:, [0, 1]], 70 + number),
                _mixed(left * 10_201 + own * 101 + right, 80 + number),
            ]
        numbers = np.concatenate(columns, axis=1)
        there = numbers != _NONE
        rows = np.repeat(np.arange(count), there.sum(axis=1))
        buckets = (numbers[there] * _MIX & 0xFFFFFFFF) >> 14
        made = sparse.csr_matrix(
            (np.ones(len(rows), np.float32), (rows, buckets)), shape=(count, BUCKETS)
        )
        made.data[:] = 1
        return made

    def _lookup(self, words: Sequence[str]) -> Integers:
        for word in words:
            if word not in self._known:
                self._known[word] = len(self._forms)
                self._forms.append(_form(word, self._language))
        if len(self._table) < len(self._forms):
            self._table = np.array(self._forms, np.int64)
        return self._table[[self._known[word] for word in words]].reshape(-1, _FORM)


def _mixed(values: Integers, salt: int) -> Integers:
    """Numbers told apart from the same ones elsewhere; nothing stays nothing."""
    mixed = ((values * 0x85EBCA6B + salt * 0x27D4EB2F) & 0x7FFFFFFF) | 1
    return np.where(values == _NONE, _NONE, mixed)
