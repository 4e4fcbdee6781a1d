"""Charts that are kept for training, in a fraction of the memory of a `ChartText`.

A chart of 1,400 words takes 57 kB as a text, a tuple of words and arrays of offsets. Packed, it
takes 15 kB: words as indices, the distance from one word to the next in a byte, and compressed
text. A chart is unpacked when one of its attributes is read; a cache keeps the last few unpacked.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.core import Note
from auscult.models.chart_text import ChartText, Places, patient_of

_OPEN = 128
"""Number of unpacked charts in the cache, the most recently used ones."""
_LEVEL = 1
"""Compression level. Higher levels take several times as long and save another tenth."""
_NO_TEXT = -1


class WordTable:
    """The distinct words of many charts, each with an index."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self._numbers: dict[str, int] = {}
        # Here and not for the whole process, so that no note outlives the charts.
        self.unpacked = lru_cache(_OPEN)(PackedText.unpacked)
        """The chart of a packed one; the last few are kept."""

    def __len__(self) -> int:
        return len(self.words)

    def numbers(self, words: Sequence[str]) -> npt.NDArray[np.int32]:
        """The index of every word; new words are added."""
        found = list(map(self._numbers.get, words))
        if None in found:
            for word in words:
                if word not in self._numbers:
                    self._numbers[word] = len(self.words)
                    self.words.append(word)
            found = list(map(self._numbers.get, words))
        return np.array(found, np.int32)


class PackedText(ChartText):
    """A `ChartText` that takes little memory."""

    def __init__(
        self,
        chart_id: str,
        notes: tuple[Note, ...],
        words: tuple[str, ...],
        note_of: Places,
        begins: Places,
        ends: Places,
        cut: int = 0,
        *,
        table: WordTable | None = None,
    ) -> None:
        texts = [note.text for note in notes]
        lengths = [_NO_TEXT if text is None else len(text) for text in texts]
        before = np.cumsum([0, *(max(0, length) for length in lengths)])[note_of]
        # Places in all notes together only grow, so what is between two words is a small number.
        first, last = begins + before, ends + before
        whole = "".join(text or "" for text in texts).encode(errors="surrogatepass")
        self._hold(
            chart_id=chart_id,
            cut=cut,
            table=WordTable() if table is None else table,  # an empty one is false
            _heads=tuple(_head(note) for note in notes),
            _lengths=tuple(lengths),
            _letters=zlib.compress(whole, _LEVEL),
            _words_in=tuple(np.bincount(note_of, minlength=len(notes)).tolist()),
            _gaps=_small(first - np.concatenate([[0], last[:-1]])),
            _sizes=_small(ends - begins),
        )
        self._hold(numbers=self.table.numbers(words))

    table: WordTable
    """The table that `numbers` refer to."""
    numbers: npt.NDArray[np.int32]
    """The words as indices."""
    _heads: tuple[Note, ...]
    _lengths: tuple[int, ...]
    _letters: bytes
    _words_in: tuple[int, ...]
    _gaps: npt.NDArray[Any]
    _sizes: npt.NDArray[Any]

    def _hold(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)  # a chart's text is frozen

    @classmethod
    def of(cls, text: ChartText, table: WordTable) -> PackedText:
        """Pack a chart, with its words in a table that it shares with other charts."""
        return cls(
            text.chart_id, text.notes, text.words, text.note_of, text.begins, text.ends, text.cut,
            table=table,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes, with their text."""
        return self.table.unpacked(self).notes

    @property
    def words(self) -> tuple[str, ...]:
        """The words of all notes."""
        return self.table.unpacked(self).words

    @property
    def note_of(self) -> Places:
        """The note of each word."""
        return self.table.unpacked(self).note_of

    @property
    def begins(self) -> Places:
        """Where each word begins in its note."""
        return self.table.unpacked(self).begins

    @property
    def ends(self) -> Places:
        """Where each word ends in its note."""
        return self.table.unpacked(self).ends

    @property
    def patient(self) -> str:
        """The patient of the chart's notes."""
        return patient_of(self.chart_id, self._heads)

    @property
    def categories(self) -> tuple[str | None, ...]:
        """The category of each note."""
        return tuple(note.category for note in self._heads)

    @property
    def _bounds(self) -> dict[str, tuple[int, int]]:
        return self.table.unpacked(self)._bounds

    def renamed(self, chart_id: str) -> ChartText:
        """The same under another name, unpacked."""
        return self.table.unpacked(self).renamed(chart_id)

    def unpacked(self) -> ChartText:
        """The unpacked chart, rebuilt."""
        whole = zlib.decompress(self._letters).decode(errors="surrogatepass")
        notes, starts, at = [], [], 0
        for head, length in zip(self._heads, self._lengths, strict=True):
            starts.append(at)
            end = at + max(0, length)
            notes.append(head if length == _NO_TEXT else replace(head, text=whole[at:end]))
            at = end
        note_of = np.repeat(np.arange(len(notes), dtype=np.int32), self._words_in)
        last = np.cumsum(self._gaps.astype(np.int64) + self._sizes)
        ends = (last - np.array(starts, np.int64)[note_of]).astype(np.int32)
        return ChartText(
            self.chart_id,
            tuple(notes),
            tuple(map(self.table.words.__getitem__, self.numbers.tolist())),
            note_of,
            ends - self._sizes.astype(np.int32),
            ends,
            self.cut,
        )


def _head(note: Note) -> Note:
    """A note without its text, with strings that many notes share stored once."""
    return replace(
        note,
        text=None,
        chart_id=sys.intern(note.chart_id),
        subject_id=note.subject_id and sys.intern(note.subject_id),
        category=note.category and sys.intern(note.category),
        split=note.split and sys.intern(note.split),
    )


def _small(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Integers in the smallest type that holds the largest of them."""
    for kind in (np.uint8, np.uint16):
        if not len(values) or (values.min() >= 0 and values.max() <= np.iinfo(kind).max):
            return values.astype(kind)
    return values.astype(np.int64)
