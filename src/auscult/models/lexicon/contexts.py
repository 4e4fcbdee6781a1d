"""The words around a range, as rows of a sparse matrix: negation, family history and doubt."""

from __future__ import annotations

import zlib

import numpy as np
import numpy.typing as npt
from scipy import sparse

from auscult.models.lexicon.joined_charts import JoinedCharts
from auscult.models.lexicon.ragged import Ints
from auscult.models.lexicon.strings import Column, NumberedStrings

_COLUMNS = 1 << 16
_BEFORE, _AFTER = 14, 4
"""Words before and after a range that are looked at, as far as its sentence goes."""
_NEAR, _CLOSE = 2, 5
"""Words before it that are told apart by their place, and that are not far."""
_NEXT = 2
"""Words after it that are told apart by their place."""
_BEGIN, _END = "^", "$"
_KINDS = ("L1", "L2", "l", "m", "R0", "R1", "r", "G", "H", "S0", "S1")
_ENDING = 3
_NOTHING = -1


class Contexts:
    """Turns the words around ranges into rows, of which every word is a column by its hash."""

    def __init__(self, strings: NumberedStrings) -> None:
        self._hashed = Column(strings, _columns, np.int32, len(_KINDS))

    def matrix(self, batch: JoinedCharts, begins: Ints, ends: Ints) -> sparse.csr_matrix:
        """One row for each range, near words by their place."""
        folded, stems, gaps = (
            dict(zip(_KINDS, self._hashed[names].T, strict=True))
            for names in (batch.folded, batch.stems, batch.gaps)
        )
        slots: list[npt.NDArray[np.int64]] = []

        def put(is_there: npt.NDArray[np.bool_], columns: npt.NDArray[np.int32]) -> None:
            slots.append(np.where(is_there, columns, _NOTHING))

        within = np.ones(len(begins), bool)
        for away in range(1, _BEFORE + 1):
            at, is_there = _in_sentence(batch, begins - away, begins)
            put(within & ~is_there, np.full(len(begins), _column(f"{_BEGIN}{min(away, 3)}")))
            if away <= _NEAR:
                put(is_there, folded[f"L{away}"][at])
            put(is_there, stems["l" if away <= _CLOSE else "m"][at])
            within = is_there
        within = np.ones(len(begins), bool)
        for away in range(_AFTER):
            at, is_there = _in_sentence(batch, ends + away, ends - 1)
            put(within & ~is_there, np.full(len(begins), _column(f"{_END}{min(away, 2)}")))
            if away < _NEXT:
                put(is_there, folded[f"R{away}"][at])
                put(is_there, folded[f"S{away}"][at])
            put(is_there, stems["r"][at])
            within = is_there
        everywhere = np.ones(len(begins), bool)
        put(everywhere, gaps["G"][begins])
        is_last = ends >= batch.starts[batch.chart_of[begins] + 1]
        after = gaps["H"][np.minimum(ends, len(batch) - 1)]
        put(everywhere, np.where(is_last, _column("H^"), after))
        put(everywhere, _categories(batch)[begins])
        rows = np.column_stack(slots)
        is_there = rows != _NOTHING
        pointer = np.concatenate([[0], np.cumsum(is_there.sum(axis=1))])
        indices = rows[is_there].astype(np.int32)
        return sparse.csr_matrix(
            (np.ones(len(indices), np.float32), indices, pointer), shape=(len(begins), _COLUMNS)
        )


def _in_sentence(
    batch: JoinedCharts, places: Ints, words: Ints
) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Places, and whether each is in the sentence of a word; one that is not may be any."""
    at = np.clip(places, 0, len(batch) - 1)
    is_there = (at == places) & (batch.sentences[at] == batch.sentences[words])
    return at, is_there


def _categories(batch: JoinedCharts) -> npt.NDArray[np.int32]:
    """The column of each word's note category."""
    parts = []
    for chart in batch.charts:
        of_note = np.array([_column("N" + (note.category or "")) for note in chart.text.notes])
        parts.append(of_note[chart.text.note_of].astype(np.int32))
    return np.concatenate(parts)


def _columns(name: str) -> list[int]:
    return [_column(kind + (name[-_ENDING:] if kind[0] == "S" else name)) for kind in _KINDS]


def _column(name: str) -> int:
    return zlib.crc32(name.encode(errors="surrogatepass")) % _COLUMNS
