"""Features of the two linear models: words with their assertion status, and concepts."""

from __future__ import annotations

from collections.abc import Iterator

from auscult.models.chart_text import ChartText
from auscult.models.linear.features import NgramVocabulary, Occurrence
from auscult.models.radiology.radiology_text import AFFIRMED, prepare


class MarkedGrams(NgramVocabulary):
    """N-grams by the part of the report they stand in, words also by how they are meant."""

    @classmethod
    def occurrences(cls, text: ChartText, longest: int) -> Iterator[Occurrence]:
        """Words and n-grams as `part|word`, words that are not plainly meant as `part|how|word`."""
        seen, words = prepare(text), text.words
        for at, word in enumerate(words):
            yield f"{seen.parts[at]}|{word}", at, at + 1
            if seen.hows[at] != AFFIRMED:
                yield f"{seen.parts[at]}|{seen.hows[at]}|{word}", at, at + 1
        for size in range(2, longest + 1):
            for at in range(len(words) - size + 1):
                if text.note_of[at] == text.note_of[at + size - 1]:
                    gram = " ".join(words[at : at + size])
                    yield f"{seen.parts[at]}|{gram}", at, at + size


class ConceptGrams(NgramVocabulary):
    """Concepts by part and sense, by one of them, and alone."""

    @classmethod
    def occurrences(cls, text: ChartText, longest: int) -> Iterator[Occurrence]:
        """Concepts as `part|how|concept`, `part|concept` and `how|concept`."""
        for (concept, part, how), hit in prepare(text).cells():
            for name in (f"{part}|{how}|{concept}", f"{part}|{concept}", f"{how}|{concept}"):
                yield name, hit.begin, hit.end
