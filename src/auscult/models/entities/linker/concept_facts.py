"""Features of a concept independent of the note: number of names, source, parents.

A terminology is put together from sources, and annotators keep to some of them: where the same name
is in two, a concept of the source that training marks are from is the likelier one. Identifiers
are given out in order, so that a block of them that no training mark is from may be younger than
the release that annotators had.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from auscult.core import Code
from auscult.models.entities.name_index import NameIndex

_BLOCK = 4
"""Characters at the end of an identifier in which those of a block differ."""
_FEW = 20


class ConceptFacts:
    """Looks concepts up in the vocabulary, and remembers them."""

    def __init__(self, names: NameIndex) -> None:
        self._names = names
        self._numbers: dict[Code, int | None] = {}
        self._parents: dict[Code, tuple[Code, ...]] = {}

    def size(self, code: Code) -> int:
        """How many names a concept has."""
        number = self.number(code)
        if number is None:
            return 0
        first, last = self._arrays["concept_terms"][number : number + 2].tolist()
        return int(last - first)

    def parents(self, code: Code) -> tuple[Code, ...]:
        """The concepts right above one."""
        if code not in self._parents:
            number, vocabulary = self.number(code), self._names.vocabulary
            values = () if number is None else vocabulary.concept_at(number).parents
            above = (vocabulary.get(value, code.system) for value in values)
            self._parents[code] = tuple(one.code for one in above if one is not None)
        return self._parents[code]

    def odds(self, seen: Iterable[Code]) -> Odds:
        """How much likelier the concepts of a source or block are seen than any."""
        numbers = [number for code in seen if (number := self.number(code)) is not None]
        return Odds(self, Counter(map(self.source, numbers)), Counter(map(self.block, numbers)))

    def source(self, number: int) -> int:
        """The source of a concept's preferred name."""
        return int(self._arrays["term_source"][self._arrays["concept_terms"][number]])

    def block(self, number: int) -> str:
        """The block of identifiers that a concept is in: those that differ at the end only."""
        code = self._names.vocabulary.code_at(number)
        return f"{code.system} {len(code.value)} {code.value[:-_BLOCK]}"

    @cached_property
    def every(self) -> tuple[Counter[int], Counter[str]]:
        """How many of the concepts there are of each source and of each block."""
        numbers = np.unique(self._names.concepts(np.arange(len(self._names.terms)))).tolist()
        return Counter(map(self.source, numbers)), Counter(map(self.block, numbers))

    def number(self, code: Code) -> int | None:
        """The vocabulary's number of a concept; None when it is not there."""
        if code not in self._numbers:
            self._numbers[code] = self._names.vocabulary.number_of(code)
        return self._numbers[code]

    @property
    def _arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        return self._names.vocabulary.arrays


class Odds:
    """How much likelier the concepts of a source or of a block are seen than any."""

    def __init__(self, facts: ConceptFacts, sources: Counter[int], blocks: Counter[str]) -> None:
        self._facts = facts
        self._sources, self._blocks = sources, blocks
        of_source, _ = facts.every
        self._usual = (sources.total() + 1) / (of_source.total() + 1)
        self._known: dict[Code, tuple[float, float]] = {}

    def of(self, code: Code) -> tuple[float, float]:
        """The logarithms of the odds of a concept's source and block; 0 when it is unknown."""
        if code not in self._known:
            self._known[code] = self._of(self._facts.number(code))
        return self._known[code]

    def _of(self, number: int | None) -> tuple[float, float]:
        if number is None:
            return 0.0, 0.0
        of_source, of_block = self._facts.every
        source, block = self._facts.source(number), self._facts.block(number)
        by_source = _rate(self._sources[source], of_source[source], self._usual)
        by_block = _rate(self._blocks[block], of_block[block], by_source)
        return math.log(by_source / self._usual), math.log(by_block / self._usual)


def _rate(seen: int, every: int, usual: float) -> float:
    """The part that is seen, taken for the usual part as far as there are few."""
    return (seen + _FEW * usual) / (every + _FEW)
