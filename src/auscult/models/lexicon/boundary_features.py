"""What the boundaries of evidence are told by: one row of hashed features for every word."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse

from auscult.models.lexicon.joined_charts import JoinedCharts, batches
from auscult.models.lexicon.lexicon_text import LexiconText
from auscult.models.lexicon.ragged import Ints
from auscult.models.lexicon.strings import Column, NumberedStrings

COLUMNS = 1 << 18
_OFFSETS = (-3, -2, -1, 0, 1, 2, 3)
_NEAR = 2
"""Words from the one described whose endings count too."""
_FORMS = 5
_NOTHING = -1
_OUTSIDE = zlib.crc32(b"|")


class WordFeatures:
    """Turns the words of charts into rows of a sparse matrix."""

    def __init__(self, strings: NumberedStrings) -> None:
        self._names = strings.names
        self._near = Column(strings, _near, np.int64, _FORMS)
        self._others = Column(strings, _others, np.int64, 3)

    def matrix(self, charts: Sequence[LexiconText]) -> sparse.csr_matrix:
        """One row a word: forms of the words around it, what stands between, pairs."""
        parts = [
            self._of_batch(JoinedCharts.of([charts[at] for at in places], [None] * len(places)))
            for places in batches(map(len, charts))
        ]
        return parts[0] if len(parts) == 1 else sparse.vstack(parts, "csr")

    def _of_batch(self, batch: JoinedCharts) -> sparse.csr_matrix:
        words = len(batch)
        near = self._near[batch.folded]
        others = self._others
        far = others[batch.folded][:, 0]
        gaps, stems = others[batch.gaps][:, 1], others[batch.stems][:, 2]
        slots: list[npt.NDArray[np.int64]] = []
        for column, offset in enumerate(_OFFSETS):
            at = np.clip(np.arange(words) + offset, 0, words - 1)
            is_there = (at == np.arange(words) + offset) & (batch.sentences[at] == batch.sentences)
            source = near if abs(offset) <= _NEAR else far[:, None]
            shown = np.where(is_there[:, None], source[at], _NOTHING)
            shown[:, 0] = np.where(is_there, shown[:, 0], _OUTSIDE)
            slots.append(_salted(shown, column))
        pairs = self._pairs(batch)
        after = np.append(gaps[1:], zlib.crc32(b"g^"))
        after[batch.starts[1:] - 1] = zlib.crc32(b"g^")
        rest = (gaps, after, pairs, np.append(_OUTSIDE, pairs[:-1]), stems)
        for column, hashed in enumerate(rest, len(_OFFSETS)):
            slots.append(_salted(hashed[:, None], column))
        rows = np.concatenate(slots, axis=1)
        is_there = rows != _NOTHING
        indices = rows[is_there].astype(np.int32)
        pointer = np.concatenate([[0], np.cumsum(is_there.sum(axis=1))])
        return sparse.csr_matrix(
            (np.ones(len(indices), np.float32), indices, pointer), shape=(words, COLUMNS)
        )

    def _pairs(self, batch: JoinedCharts) -> Ints:
        """Of each word with the next one of its sentence."""
        stems = batch.stems.astype(np.int64)
        together = np.flatnonzero(batch.sentences[1:] == batch.sentences[:-1])
        size = int(stems.max(initial=0)) + 1
        each, place = np.unique(stems[together] * size + stems[together + 1], return_inverse=True)
        names = self._names
        hashed = [_crc(f"b{names[pair // size]} {names[pair % size]}") for pair in each.tolist()]
        found = np.full(len(batch), _OUTSIDE, np.int64)
        found[together] = np.array(hashed, np.int64)[place]
        return found


def _salted(hashed: Ints, column: int) -> Ints:
    found: Ints = np.where(hashed == _NOTHING, _NOTHING, (hashed * 31 + column * 40_503) % COLUMNS)
    return found


def _near(name: str) -> list[int]:
    """The word, and of a longer one its beginning and its endings."""
    if len(name) <= 3:
        return [_crc("w" + name), *[_NOTHING] * (_FORMS - 1)]
    forms = ("w" + name, "p" + name[:5], "4" + name[-4:], "3" + name[-3:], "2" + name[-2:])
    return [_crc(form) for form in forms]


def _others(name: str) -> list[int]:
    """As a word further away, as a gap, and as a stem."""
    return [_crc(kind + name) for kind in "fgs"]


def _crc(name: str) -> int:
    return zlib.crc32(name.encode(errors="surrogatepass"))
