"""Suggestions as published, in plain Python: what a store of its own has to be worth."""

from __future__ import annotations

import math
from functools import cache

from auscult.codes.index.folding import fold
from auscult.codes.index.stems import stem
from auscult.codes.index.tokens import tokenize
from auscult.codes.index.wordlists import stop_words
from auscult.codes.vocabulary import Vocabulary

LIMIT = 10


@cache
def _stem(word: str) -> str:
    return stem(word, "english")


class PlainIndex:
    """The published suggestions in plain Python: a dictionary, and lists of terms by stem."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._called: dict[str, list[int]] = {}
        self._having: dict[str, list[int]] = {}
        self._weights: list[float] = []
        self._concept: list[int] = []
        self._stop = stop_words("english")
        for number, concept in enumerate(vocabulary):
            for synonym in concept.synonyms:
                words = tokenize(fold(synonym.text).text)
                called = self._called.setdefault(" ".join(words), [])
                if number not in called[-1:]:
                    called.append(number)
                term = len(self._concept)
                self._concept.append(number)
                for one in self._stems(words):
                    self._having.setdefault(one, []).append(term)
        self._rarity = {
            one: math.log1p(len(self._concept) / len(terms)) for one, terms in self._having.items()
        }
        self._weights = [0.0] * len(self._concept)
        for one, terms in self._having.items():
            for term in terms:
                self._weights[term] += self._rarity[one]

    def _stems(self, words: list[str]) -> set[str]:
        return {_stem(w) for w in words if w[0].isalnum() and w not in self._stop}

    def suggest(self, text: str) -> list[int]:
        """The numbers of concepts, which are in order of their number of synonyms."""
        words = tokenize(fold(text).text)
        found = list(self._called.get(" ".join(words), ()))[:LIMIT]
        if len(found) < LIMIT:
            asked = self._stems(words)
            unknown = math.log1p(len(self._concept))
            total = sum(self._rarity.get(one, unknown) for one in asked)
            gains: dict[int, float] = {}
            for one in asked:
                for term in self._having.get(one, ()):
                    gains[term] = gains.get(term, 0.0) + self._rarity[one]
            best: dict[int, float] = {}
            for term, gain in gains.items():
                score = round(gain / (total + self._weights[term] - gain), 6)
                concept = self._concept[term]
                if score > best.get(concept, 0.0):
                    best[concept] = score
            near = sorted(best, key=lambda concept: (-best[concept], concept))
            found += [concept for concept in near[: 2 * LIMIT] if concept not in found]
        return found[:LIMIT]
