"""The training charts as the lexicon reads them, prepared on request to save memory."""

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
"""A chart, its words if it is not packed, a bit for each word that begins a sentence, and the
separators before words that are more than a blank, with their positions."""


class PreparedCharts(Sequence[LexiconText]):
    """Charts that are prepared again on every request.

    That takes a hundredth of the time of the first reading: the results of comparing words and
    scanning text are stored in a few bytes.
    """

    def __init__(self, reader: LexiconReader, texts: Iterable[ChartText]) -> None:
        self._forms = reader.forms
        self._blank = np.int32(reader.forms.strings.number(""))
        self._numbers: dict[WordTable, Ids] = {}
        """For each word of a table, its index in the forms."""
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
