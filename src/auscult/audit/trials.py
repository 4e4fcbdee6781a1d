"""The trials of an audit: which word of which chart is replaced with what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from auscult.audit.filters.contract import ProposesTogether, ReplacementFilter, WordContext
from auscult.audit.words_of_interest import WordFinder
from auscult.corpus.corpus import Chart
from auscult.models.chart_text import in_order
from auscult.models.perturbation import Perturbation, Place

Swap = Literal["first", "all"]
"""Which occurrences are replaced: the first (one-swap), or all of them (multiple-swap)."""


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Where each word of interest stands in each chart that has it, in the order it is read."""

    charts: tuple[Chart, ...] = field(repr=False)
    words: tuple[str, ...] = field(repr=False)
    places: Mapping[str, Mapping[int, tuple[Place, ...]]] = field(repr=False)
    """By word and the place of the chart."""

    @classmethod
    def of(cls, charts: Iterable[Chart], finder: WordFinder) -> Occurrences:
        """Find the words in charts."""
        kept = tuple(charts)
        places: dict[str, dict[int, tuple[Place, ...]]] = {word: {} for word in finder.words}
        for at, chart in enumerate(kept):
            # As models read a chart, so that "first" is the first they see.
            notes = in_order(chart.notes)
            for word in finder.words:
                if found := finder.places(notes, word):
                    places[word][at] = tuple(found)
        return cls(kept, finder.words, places)

    def count(self, word: str) -> int:
        """The number of occurrences of the word in all charts."""
        return sum(map(len, self.places[word].values()))

    def context(self, word: str, chart: int) -> WordContext:
        """Where the word first stands in a chart."""
        note_id, begin, end = self.places[word][chart][0]
        note = next(note for note in self.charts[chart].notes if note.note_id == note_id)
        return WordContext(note, begin, end)


@dataclass(frozen=True, slots=True)
class Trial:
    """A word of a chart, and the replacement that a filter proposes."""

    word: str = field(repr=False)
    chart: int
    filter: str
    replacement: str = field(repr=False)
    perturbation: Perturbation = field(repr=False)


@dataclass(frozen=True, slots=True)
class ProposedTrials:
    """Trials, and the number of proposals that were the word itself, by word."""

    trials: tuple[Trial, ...] = field(repr=False)
    equal: Mapping[str, int]


def propose(
    found: Occurrences,
    pairs: Sequence[tuple[str, int]],
    filters: Sequence[ReplacementFilter],
    swap: Swap,
) -> ProposedTrials:
    """The trials of pairs of word and chart."""
    contexts = [(word, found.context(word, chart)) for word, chart in pairs]
    trials: list[Trial] = []
    equal: dict[str, int] = {}
    for one in filters:
        every = _proposed(one, contexts)
        for (word, chart), (_, context), proposed in zip(pairs, contexts, every, strict=True):
            written = (context.note.text or "")[context.begin : context.end].lower()
            places = found.places[word][chart][: 1 if swap == "first" else None]
            for replacement in dict.fromkeys(proposed):
                if replacement.lower() in (word.lower(), written):
                    equal[word] = equal.get(word, 0) + 1
                    continue
                swapped = Perturbation.swap(places, replacement)
                trials.append(Trial(word, chart, one.name, replacement, swapped))
    return ProposedTrials(tuple(trials), equal)


def _proposed(
    one: ReplacementFilter, asked: Sequence[tuple[str, WordContext]]
) -> Sequence[Sequence[str]]:
    if isinstance(one, ProposesTogether):
        return one.propose_all(asked)
    return [one.propose(word, context) for word, context in asked]
