"""Nearest strings by shared character trigrams, weighted by inverse frequency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.learning.arrays import stored_arrays

_BUCKETS = 1 << 18
_COMMON = 0.08
"""A trigram in a larger part of the strings than this is not looked up where rarer ones will do."""
_FEW = 20_000
"""Strings among which no trigram is too common to look up."""

Integers = npt.NDArray[np.int64]


def _buckets(texts: Sequence[str]) -> tuple[Integers, Integers]:
    """The trigrams of each text with a blank on either side, each once: (text, bucket) in order."""
    padded = [f" {text} " for text in texts]
    points = np.frombuffer("".join(padded).encode("utf-32-le"), np.uint32).astype(np.int64)
    rows = np.repeat(np.arange(len(padded)), [len(text) for text in padded])
    if len(points) < 3:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    bucket = (points[:-2] * 1_000_003 + points[1:-1] * 8_191 + points[2:]) % _BUCKETS
    inside = rows[:-2] == rows[2:]
    pairs = np.unique(rows[:-2][inside] * _BUCKETS + bucket[inside])
    return pairs // _BUCKETS, pairs % _BUCKETS


@dataclass(frozen=True, eq=False)
class TrigramIndex:
    """For each trigram the strings that have it, its weight, and the length of each string.

    >>> index = TrigramIndex.of(["asthma", "bronchial asthma", "fever"])
    >>> [(at, round(score, 2)) for at, score in index.nearest("astma", 2)]
    [(0, 0.31), (1, 0.15)]
    """

    offsets: npt.NDArray[np.int64]
    strings: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]
    lengths: npt.NDArray[np.float32]

    @classmethod
    def of(cls, texts: Sequence[str]) -> TrigramIndex:
        """Index strings by their place in a sequence."""
        rows, buckets = _buckets(texts)
        counts = np.bincount(buckets, minlength=_BUCKETS)
        weights = np.log1p(len(texts) / (counts + 0.5)).astype(np.float32)
        squares = np.bincount(
            rows, weights=weights[buckets].astype(float) ** 2, minlength=len(texts)
        )
        order = np.argsort(buckets, kind="stable")
        return cls(
            np.concatenate([[0], np.cumsum(counts)]),
            rows[order].astype(np.int32),
            weights,
            np.sqrt(np.maximum(squares, 1e-9)).astype(np.float32),
        )

    def nearest(self, text: str, most: int) -> list[tuple[int, float]]:
        """The nearest strings and the cosine of each, the nearest first."""
        _, grams = _buckets([text])
        total = len(self.lengths)
        if not len(grams) or not total:
            return []
        counts = self.offsets[grams + 1] - self.offsets[grams]
        squares = self.weights[grams].astype(float) ** 2
        looked = grams
        if total > _FEW:
            rare = counts <= _COMMON * total
            if squares[rare].sum() >= 0.5 * squares.sum():
                looked = grams[rare]
        pieces = [self.strings[self.offsets[b] : self.offsets[b + 1]] for b in looked.tolist()]
        found = np.concatenate(pieces)
        if not len(found):
            return []
        sizes = [len(piece) for piece in pieces]
        gains = np.repeat(self.weights[looked].astype(float) ** 2, sizes)
        scores = np.bincount(found, weights=gains, minlength=total)
        # What was not looked up is taken to be shared in the same part.
        missed = squares.sum() / max(float((self.weights[looked].astype(float) ** 2).sum()), 1e-9)
        scores *= missed**0.5 / self.lengths / np.sqrt(squares.sum())
        most = min(most, total)
        best = np.argpartition(-scores, most - 1)[:most]
        best = best[np.lexsort((best, -scores[best]))]
        return [(int(at), min(1.0, float(scores[at]))) for at in best if scores[at] > 0]

    def save(self, file: Path) -> None:
        """Write the arrays."""
        arrays: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(self)}
        np.savez(file, **arrays)

    @classmethod
    def load(cls, file: Path) -> TrigramIndex:
        """What `save` wrote."""
        with stored_arrays(file) as held:
            return cls(*(held[one.name] for one in fields(cls)))
