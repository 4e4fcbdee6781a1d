"""The 1-gram filter: the most frequent words of the notes that have the word of interest."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from auscult.audit.filters.contract import WordContext
from auscult.audit.filters.vocabulary import ChartWordCounts


@dataclass(frozen=True)
class FrequentWordFilter:
    """The replacements of each word of interest, the same in all notes."""

    replacements: Mapping[str, Sequence[str]] = field(repr=False)
    number: int = 5
    name: str = "1-gram"

    @classmethod
    def of(
        cls, counted: ChartWordCounts, charts: Mapping[str, Collection[int]], number: int = 5
    ) -> FrequentWordFilter:
        """From counts, and for each word of interest the charts that have it."""
        return cls(
            {
                word: counted.most_frequent(having, number, word.lower())
                for word, having in charts.items()
                if having
            },
            number,
        )

    def propose(self, word: str, context: WordContext) -> Sequence[str]:
        """The replacements of the word."""
        return self.replacements.get(word, ())
