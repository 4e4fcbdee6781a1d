"""The vocabulary's facts about the concepts that occur: names, types and parents."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from auscult.codes.concept import Concept
from auscult.codes.index.folding import fold
from auscult.codes.index.stems import stem_all
from auscult.codes.index.tokens import tokenize
from auscult.codes.index.wordlists import stop_words
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code
from auscult.evaluate.entities.marked_spans import NONE, ConceptNumbers

_CORPUS = "corpus"
_ALIKE = 0.5
_STEPS = 64


class Terminology:
    """A vocabulary whose concepts are looked up by number."""

    def __init__(self, vocabulary: Vocabulary, concepts: ConceptNumbers) -> None:
        self.vocabulary = vocabulary
        self._concepts = concepts
        self._found: dict[int, Concept | None] = {}
        self._above: dict[Code, dict[Code, int]] = {}
        self.roots: set[Code] = set()
        """Those without a parent among the concepts that `above` was asked about."""
        self._from_corpus = frozenset(
            at for at, name in enumerate(vocabulary.manifest.sources) if name == _CORPUS
        )
        self.alike = lru_cache(maxsize=1_000_000)(self._alike)

    def concept(self, number: int) -> Concept | None:
        """The concept of a number, if the vocabulary has it."""
        if number == NONE:
            return None
        if number not in self._found:
            at = self.vocabulary.number_of(self._concepts.codes[number])
            self._found[number] = None if at is None else self.vocabulary.concept_at(at)
        return self._found[number]

    def types(self, number: int) -> tuple[str, ...]:
        """The semantic types of a concept; none for what is not known."""
        found = self.concept(number)
        return () if found is None else found.types

    def called(self, text: str) -> frozenset[Code]:
        """The concepts of this name, by names that do not come from a corpus."""
        terms = self.vocabulary.terms_called(text)
        if self._from_corpus and len(terms):
            source = self.vocabulary.arrays["term_source"][terms]
            terms = terms[~np.isin(source, list(self._from_corpus))]
        numbers = np.unique(self.vocabulary.concepts_of(terms)).tolist()
        return frozenset(map(self.vocabulary.code_at, numbers))

    def code(self, number: int) -> Code:
        """The code of a number."""
        return self._concepts.codes[number]

    def has_hierarchy(self, numbers: frozenset[int]) -> bool:
        """Whether any of the concepts has a parent."""
        return any(c is not None and c.parents for c in map(self.concept, numbers))

    def above(self, number: int) -> dict[Code, int]:
        """The concept and all above it, each with how many steps up it is at least."""
        return self._ancestors(self.code(number))

    def _ancestors(self, code: Code) -> dict[Code, int]:
        if code not in self._above:
            steps = {code: 0}
            row = [code]
            for step in range(1, _STEPS):
                row = [p for c in row for p in self._parents(c) if p not in steps]
                steps.update(dict.fromkeys(row, step))
                if not row:
                    break
            self._above[code] = steps
        return self._above[code]

    def _parents(self, code: Code) -> list[Code]:
        at = self.vocabulary.number_of(code)
        parents = () if at is None else self.vocabulary.concept_at(at).parents
        if not parents:
            self.roots.add(code)
        return [Code(code.system, value) for value in parents]

    def _alike(self, one: int, other: int) -> bool:
        """Whether two concepts are near to the same: parent and child, or by their names.

        Names are near when at least half of all words of both preferred names are in both, stemmed
        and without stop words: `malabsorption` and `malabsorption syndrome`.
        """
        first, second = self.concept(one), self.concept(other)
        if first is None or second is None:
            return False
        if first.id in second.parents or second.id in first.parents:
            return True
        if second.code in first.xrefs or first.code in second.xrefs:
            return True
        mine, theirs = self._words(first.name), self._words(second.name)
        return bool(mine) and len(mine & theirs) >= _ALIKE * len(mine | theirs)

    def _words(self, name: str) -> frozenset[str]:
        language = self.vocabulary.manifest.language
        words = [w for w in tokenize(fold(name).text) if w.isalnum()]
        content = [w for w in words if w not in stop_words(language)] or words
        return frozenset(stem_all(content, language))
