"""How well a concept's names fit a mention, word by word, rare words counting more.

The trigrams of a name say how near it is, but not what differs: in "retinal dystrophy 1" beside
"retinal dystrophy", a number of a series; in "renal disease" beside "retinal disease", the word
that matters. These features do not depend on training mentions, so they say as much about a
concept that none of them has.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from auscult.core import Code
from auscult.models.entities import string_forms
from auscult.models.entities.linker.concept_facts import ConceptFacts
from auscult.models.entities.name_index import NameIndex

_FIRST = frozenset("1ai")
"""What the first of a series is called: *type 1*, *type IA*, *A*."""
_KINDS = frozenset(string_forms.stems("type"))
_NAMES = 200
"""Maximum number of names of a concept that are looked at."""
Words = frozenset[str]


class NameFit(NamedTuple):
    """How the best name of a concept fits; weights are inverse document frequencies."""

    fit: float = 0.0
    """The F1 of the words of the mention and of the name, by weight."""
    covers: float = 0.0
    """The part of the mention's weight that the name has."""
    covered: float = 0.0
    """The part of the name's weight that the mention has."""
    is_preferred: float = 0.0
    preferred_fit: float = 0.0
    """The F1 of the preferred name."""
    has_number: float = 0.0
    """The name has a number, or a single letter, that the mention does not have."""
    lacks_number: float = 0.0
    """The mention has one that the name does not have."""
    is_of_series: float = 0.0
    """The name is the mention with a number."""
    is_first: float = 0.0
    """It is the mention with the number 1, or A, perhaps among other words."""
    left: float = 0.0
    """The number of words of the mention that the name does not have."""
    added: float = 0.0
    """The number of words of the name that the mention does not have."""


class NameMatch:
    """Compares mentions with the names of concepts, which it remembers."""

    def __init__(self, names: NameIndex, facts: ConceptFacts) -> None:
        self._names, self._facts = names, facts
        self._words_of = lru_cache(maxsize=100_000)(self._read)
        self._weight = lru_cache(maxsize=100_000)(self._weighed)
        self._fitted = lru_cache(maxsize=200_000)(self._fit)

    def __call__(self, queries: Collection[str], code: Code) -> NameFit:
        """The fit of a concept to the best of several queries."""
        keys = (frozenset(string_forms.stems(text, self._names.language)) for text in queries)
        fits = [self._fitted(key, code) for key in keys]
        if not fits:
            return NameFit()
        return max(fits)._replace(preferred_fit=max(fit.preferred_fit for fit in fits))

    def _fit(self, query: Words, code: Code) -> NameFit:
        names = self._words_of(code)
        with_words = [name for name in names if name]
        if not with_words or not query:
            return NameFit()
        whole = self._sum(query)
        best, score = with_words[0], -1.0
        for name in with_words:
            shared = 2 * self._sum(query & name) / (whole + self._sum(name))
            if shared > score + 1e-9:
                best, score = name, shared
        common = self._sum(query & best)
        left, added = query - best, best - query
        numbers, preferred = _numbers(added), names[0]
        return NameFit(
            score,
            common / whole,
            common / self._sum(best),
            best is preferred,
            2 * self._sum(query & preferred) / (whole + self._sum(preferred)),
            bool(numbers),
            bool(_numbers(left)),
            bool(numbers) and not left and added <= numbers | _KINDS,
            bool(numbers & _FIRST) and not left,
            len(left),
            len(added),
        )

    def _read(self, code: Code) -> Sequence[Words]:
        """The words of each name of a concept, the preferred one first; a name may have none."""
        number = self._facts.number(code)
        if number is None:
            return ()
        vocabulary, language = self._names.vocabulary, self._names.language
        first, last = vocabulary.arrays["concept_terms"][number : number + 2].tolist()
        texts = (vocabulary.synonym_at(at).text for at in range(first, min(last, first + _NAMES)))
        return [frozenset(string_forms.stems(text, language)) for text in texts]

    def _sum(self, words: Words) -> float:
        return math.fsum(map(self._weight, words))  # the same in any order

    def _weighed(self, stem: str) -> float:
        """The inverse document frequency of a stem among the names of the vocabulary."""
        vocabulary = self._names.vocabulary
        number = vocabulary.stems.find(stem)
        ends = vocabulary.arrays["stem_offsets"]
        count = 0 if number is None else int(ends[number + 1]) - int(ends[number])
        return math.log1p(vocabulary.manifest.terms / (count + 0.5))


def _numbers(words: Words) -> Words:
    return frozenset(word for word in words if word.isdecimal() or len(word) == 1)
