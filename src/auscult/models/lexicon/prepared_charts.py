"""The training charts as the lexicon reads them, which takes as much memory again as the charts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

from auscult.models.chart_text import ChartText
from auscult.models.lexicon.lexicon_text import LexiconReader, LexiconText
from auscult.models.lexicon.strings import Ids
from auscult.models.packed_text import PackedText, WordTable

_Held = tuple[ChartText, Ids | None, npt.NDArray[np.uint8], Ids, Ids]
"""A chart, its words if it is not packed, which words begin a sentence (in bits), and where there
is more than a blank before a word and what."""


class PreparedCharts(Sequence[LexiconText]):
    """Charts of which each is made ready again when it is asked for.

    That takes a hundredth of the time that it took to read it: what is found by comparing its words
    and looking at its text is held, in few bytes.
    """

    def __init__(self, reader: LexiconReader, texts: Iterable[ChartText]) -> None:
        self._forms = reader.forms
        self._blank = np.int32(reader.forms.strings.number(""))
        self._numbers: dict[WordTable, Ids] = {}
        """For the words of a table, their numbers in the forms."""
        self._held = [self._of(reader.prepare(text)) for text in texts]

    def _of(self, chart: LexiconText) -> _Held:
        is_first = np.diff(chart.sentences, prepend=0).astype(bool)
        gaps = np.flatnonzero(chart.gaps != self._blank).astype(np.int32)
        words: Ids | None = chart.words
        if isinstance(chart.text, PackedText):
            self._in_forms(chart.text)[chart.text.numbers] = chart.words
            words = None
        return chart.text, words, np.packbits(is_first), gaps, chart.gaps[gaps]

    def _in_forms(self, text: PackedText) -> Ids:
        found = self._numbers.get(text.table)
        if found is None or len(found) < len(text.table):
            longer = np.zeros(2 * len(text.table), np.int32)
            if found is not None:
                longer[: len(found)] = found
            self._numbers[text.table] = found = longer
        return found

    def __len__(self) -> int:
        return len(self._held)

    @overload
    def __getitem__(self, at: int) -> LexiconText: ...
    @overload
    def __getitem__(self, at: slice) -> list[LexiconText]: ...
    def __getitem__(self, at: int | slice) -> LexiconText | list[LexiconText]:
        if isinstance(at, slice):
            return [self._ready(held) for held in self._held[at]]
        return self._ready(self._held[at])

    def __iter__(self) -> Iterator[LexiconText]:
        return map(self._ready, self._held)

    def _ready(self, held: _Held) -> LexiconText:
        text, words, is_first, places, values = held
        if words is None:
            assert isinstance(text, PackedText)
            words = self._in_forms(text)[text.numbers]
        gaps = np.full(len(words), self._blank)
        gaps[places] = values
        sentences = np.cumsum(np.unpackbits(is_first, count=len(words)), dtype=np.int32)
        return LexiconText(self._forms, words, text, sentences, gaps)
