"""Words with a slip of the pen: the vocabulary's words nearest to one it does not have.

An index over the words' character trigrams finds those that share enough of them; the edit
distance, in which a swap of neighbors counts once, then decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.core.edit_distance import edit_distance

_BUCKETS = 1 << 17
SHORTEST = 4
"""Shorter words have too many neighbors to guess from."""
_CHECKED = 32


def _buckets(word: str) -> list[int]:
    padded = f"\x02\x02{word}\x03\x03"
    points = [ord(c) for c in padded]
    return [
        (a * 1_000_003 + b * 8_191 + c) % _BUCKETS
        for a, b, c in zip(points, points[1:], points[2:], strict=False)
    ]


def build_arrays(words: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    """The index of words, those long enough and made of letters."""
    buckets: list[int] = []
    numbers: list[int] = []
    lengths = np.zeros(len(words), dtype="<u1")
    for number, word in enumerate(words):
        if len(word) >= SHORTEST and any(map(str.isalpha, word)):
            lengths[number] = min(len(word), 255)
            found = set(_buckets(word))
            buckets += found
            numbers += [number] * len(found)
    by_bucket = np.array(buckets, dtype=np.int64)
    order = np.argsort(by_bucket, kind="stable")
    counts = np.bincount(by_bucket, minlength=_BUCKETS)
    return {
        "trigram_offsets": np.concatenate([[0], np.cumsum(counts)]).astype("<u4"),
        "trigram_words": np.array(numbers, dtype="<u4")[order],
        "trigram_lengths": lengths,
    }


class Trigrams:
    """Finds the words near to a word."""

    def __init__(self, arrays: dict[str, npt.NDArray[Any]], words: Sequence[str] | Any) -> None:
        self._offsets = arrays["trigram_offsets"]
        self._words = arrays["trigram_words"]
        self._lengths = arrays["trigram_lengths"]
        self._strings = words

    def near(self, word: str, most: int = 5) -> list[tuple[int, int]]:
        """The nearest words and their distance, one slip up to five letters, two beyond."""
        allowed = 1 if len(word) < 6 else 2
        if len(word) < SHORTEST or len(word) > 60:
            return []
        pieces = [self._words[self._offsets[b] : self._offsets[b + 1]] for b in set(_buckets(word))]
        counts = np.bincount(np.concatenate(pieces), minlength=len(self._lengths))
        # One edit spoils three trigrams, a swap four.
        met = np.flatnonzero(counts >= max(2, len(word) + 2 - 4 * allowed))
        lengths = self._lengths[met].astype(np.int64)
        met = met[np.abs(lengths - len(word)) <= allowed]
        alike = counts[met] / (self._lengths[met] + len(word) + 4)
        best = np.lexsort((met, -alike))[:_CHECKED]
        found = []
        for number in met[best].tolist():
            distance = edit_distance(word, self._strings[number], allowed)
            if distance <= allowed:
                found.append((distance, number))
        found.sort()
        return [(number, distance) for distance, number in found[:most]]
