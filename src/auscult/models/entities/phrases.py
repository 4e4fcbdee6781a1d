"""Finding any of very many phrases in a text, and words with a slip in them, by sorted hashes.

A phrase is a sequence of words. The hash of every run of words of a text comes out of the hashes of
its words, for all runs of a length at once; those among the phrases' hashes are the places.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.codes.index.table import build_sieve, may_have
from auscult.core.edit_distance import edit_distance
from auscult.learning.arrays import stored_arrays

Hashes = npt.NDArray[np.uint64]
_BASE = np.uint64(0x9E3779B97F4A7C15)
_LONGEST = 8
"""Words of a phrase at most."""
_SHORTEST_WORD = 6
"""Shorter words have too many neighbors to guess from."""


class _Words(dict[str, int]):
    def __missing__(self, word: str) -> int:
        raw = word.encode("utf-8", "surrogatepass")
        self[word] = hashed = (zlib.crc32(raw) << 32) | zlib.crc32(raw, 0xFFFF) | 1
        return hashed


_WORDS = _Words()


def _hashes(words: Sequence[str]) -> Hashes:
    return np.array([_WORDS[word] for word in words], np.uint64)


@dataclass(frozen=True, eq=False)
class Phrases:
    """The hashes of phrases in order, the row each has, and the longest's number of words."""

    hashes: Hashes
    rows: npt.NDArray[np.int64]
    longest: int

    @classmethod
    def of(cls, phrases: Sequence[Sequence[str]]) -> Phrases:
        """Phrases by their place; empty and very long ones are never found."""
        hashed, rows = [], []
        longest = 0
        for row, words in enumerate(phrases):
            if 0 < len(words) <= _LONGEST:
                total = 0
                for word in words:
                    total = (total * int(_BASE) + _WORDS[word]) & 0xFFFFFFFFFFFFFFFF
                hashed.append(total ^ len(words))
                rows.append(row)
                longest = max(longest, len(words))
        hashes, numbers = np.array(hashed, np.uint64), np.array(rows, np.int64)
        order = np.argsort(hashes, kind="stable")
        return cls(hashes[order], numbers[order], longest)

    def find(self, words: Sequence[str]) -> list[tuple[int, int, int]]:
        """First word, last word and row of every phrase in a sequence of words.

        >>> phrases = Phrases.of([["renal", "failure"], ["failure"]])
        >>> phrases.find(["acute", "renal", "failure"])
        [(2, 2, 1), (1, 2, 0)]
        """
        own = _hashes(words)
        runs = np.zeros(len(own), np.uint64)
        found: list[tuple[int, int, int]] = []
        for size in range(1, min(self.longest, len(own)) + 1):
            with np.errstate(over="ignore"):
                runs = runs[: len(own) - size + 1] * _BASE + own[size - 1 :]
            keys = runs ^ np.uint64(size)
            # Most runs of words are no phrase, and a bitmap knows most of those at once.
            firsts = np.flatnonzero(may_have(keys, self._sieve))
            keys = keys[firsts]
            begin = np.searchsorted(self.hashes, keys, side="left")
            end = np.searchsorted(self.hashes, keys, side="right")
            for first, b, e in zip(firsts.tolist(), begin.tolist(), end.tolist(), strict=True):
                found += [(first, first + size - 1, row) for row in self.rows[b:e].tolist()]
        return found

    @cached_property
    def _sieve(self) -> npt.NDArray[np.uint8]:
        return build_sieve(self.hashes)

    def save(self, file: Path) -> None:
        """Write the arrays."""
        arrays: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(self)}
        np.savez(file, **arrays)

    @classmethod
    def load(cls, file: Path) -> Phrases:
        """What `save` wrote."""
        with stored_arrays(file) as held:
            return cls(held["hashes"], held["rows"], int(held["longest"]))


class SpellingVariants:
    """The words that a word with one slip (a letter more, less, other, or swapped) is meant for.

    Both have a shortening in common that leaves out one letter (Garbe's symmetric deletes).

    >>> SpellingVariants(["pneumonia", "asthma", "anemia"]).meant("pnuemonia")
    'pneumonia'
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = [w for w in words if len(w) >= _SHORTEST_WORD and w.isalpha()]
        hashes = [(h, at) for at, word in enumerate(self._words) for h in _shortened(word)]
        table = np.array(hashes, np.int64).reshape(-1, 2)
        order = np.argsort(table[:, 0], kind="stable")
        self._hashes, self._at = table[order, 0], table[order, 1]
        self._known: dict[str, str | None] = {}

    def meant(self, word: str) -> str | None:
        """The first word in alphabetical order that is one slip away, or None."""
        if word not in self._known:
            self._known[word] = self._search(word)
        return self._known[word]

    def _search(self, word: str) -> str | None:
        if len(word) < _SHORTEST_WORD or not word.isalpha() or not len(self._hashes):
            return None
        hashes = np.array(_shortened(word), np.int64)
        begin = np.searchsorted(self._hashes, hashes, side="left")
        end = np.searchsorted(self._hashes, hashes, side="right")
        near = {
            self._words[int(at)]
            for b, e in zip(begin.tolist(), end.tolist(), strict=True)
            for at in self._at[b:e]
        }
        # A first letter is seldom wrong.
        fits = (w for w in near if w[0] == word[0] and edit_distance(word, w, 1) == 1)
        return min(fits, default=None)


def _shortened(word: str) -> list[int]:
    return [zlib.crc32(raw.encode("utf-8", "surrogatepass")) for raw in _shortenings(word)]


def _shortenings(word: str) -> set[str]:
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}
