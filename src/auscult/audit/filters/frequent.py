"""The 1-gram filter: the most frequent words of the notes that have the word of interest."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from auscult.audit.filters.contract import Context
from auscult.audit.filters.vocabulary import Counted


@dataclass(frozen=True)
class Frequent:
    """For each word of interest its replacements, the same in all notes."""

    replacements: Mapping[str, Sequence[str]] = field(repr=False)
    number: int = 5
    name: str = "1-gram"

    @classmethod
    def of(
        cls, counted: Counted, charts: Mapping[str, Collection[int]], number: int = 5
    ) -> Frequent:
        """From counts, and for each word of interest the charts that have it."""
        return cls(
            {
                word: counted.most_frequent(having, number, word.lower())
                for word, having in charts.items()
                if having
            },
            number,
        )

    def propose(self, word: str, context: Context) -> Sequence[str]:
        """What was found for the word."""
        return self.replacements.get(word, ())
