"""Single words and their tf-idf, in arithmetic that is exact until the last step.

Rarities are rounded to 1/1024. Squares of counts times rarities, and sums of thousands of them,
then are whole multiples of 2⁻²⁰ that float64 holds without rounding. So it makes no difference in
which order a chart's length is summed up, or whether it is summed up at all rather than corrected
for a few words that changed: the weights are the same to the last bit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from auscult.models.chart_text import ChartText
from auscult.models.linear.features import NgramVocabulary, Occurrence, Places

_STEP = 1024


class WordCounter(NgramVocabulary):
    """Single words, as often as they come."""

    damped: ClassVar[bool] = False
    sectioned: ClassVar[bool] = False

    @classmethod
    def occurrences(cls, text: ChartText, longest: int) -> Iterator[Occurrence]:
        """The words of a chart."""
        return ((word, at, at + 1) for at, word in enumerate(text.words))

    @classmethod
    def of(cls, texts: Iterable[ChartText], *, longest: int = 1, least: int) -> Self:
        """Those in at least `least` charts, the most frequent first when there are too many."""
        made = super().of(texts, longest=1, least=least)
        made.rarity = (np.round(made.rarity * _STEP) / _STEP).astype(np.float32)
        return made

    def weigh(self, at: Places, counts: Places) -> npt.NDArray[np.float32]:
        """Tf-idf of length 1."""
        weights = counts * self.rarity[at].astype(np.float64)
        length = np.sqrt((weights**2).sum())
        return (weights / length if length else weights).astype(np.float32)

    def changed(
        self,
        counts: Counter[int],
        changes: Sequence[Counter[int]],
        kept: npt.NDArray[np.bool_],
    ) -> sparse.csr_matrix:
        """The rows of a chart after each of some changes to its counts, of the words `kept` alone.

        What is not kept is part of the length all the same.
        """
        touched = {place for change in changes for place in change}
        columns = np.array(sorted(p for p in touched | counts.keys() if kept[p]), np.int64)
        column_of = {place: column for column, place in enumerate(columns.tolist())}
        base = np.array([counts[place] for place in column_of], np.int64)
        table = np.tile(base, (len(changes), 1))  # (changes, columns)
        rarity = self.rarity.astype(np.float64)
        squared = np.full(len(changes), sum((n * rarity[p]) ** 2 for p, n in counts.items()))
        for row, change in enumerate(changes):
            for place, by in change.items():
                before = counts[place]
                square = rarity[place] ** 2
                squared[row] += ((before + by) ** 2 - before**2) * square
                if (column := column_of.get(place)) is not None:
                    table[row, column] += by
        weights = table * rarity[columns]
        length = np.sqrt(squared)[:, None]
        np.divide(weights, length, out=weights, where=length > 0)
        row_of, at = np.nonzero(table)
        pointer = np.searchsorted(row_of, np.arange(len(changes) + 1))
        return sparse.csr_matrix(
            (weights[row_of, at].astype(np.float32), columns[at].astype(np.int32), pointer),
            shape=(len(changes), len(self.grams)),
        )
