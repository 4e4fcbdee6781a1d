"""How well each term fits the words of a query."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.uint32]
_OPTIONAL = 0.95
"""What a word counts that a term has as a non-essential modifier."""
SAID_POWER = 1.6
_MET_POWER = 0.8
_WHOLE = 0.97
"""From this part on, a term and a query are the same."""
_LIGHTEST = 0.05
"""The least that a term weighs, so that one of empty words alone is no perfect match."""


class Alternative(NamedTuple):
    """A stem that a word of the query may stand for, and how surely."""

    stem: int
    likeness: float


@dataclass(frozen=True, slots=True, repr=False)
class QueryWord:
    """A word of a query: how much it says, and what it may stand for, likeliest first."""

    text: str
    weight: float
    alternatives: tuple[Alternative, ...]


class TermMatches(NamedTuple):
    """The terms that fit a query best, best first."""

    terms: npt.NDArray[np.int64]
    scores: Floats
    said: Floats
    """The part of the query's weight that each term has."""
    has: npt.NDArray[np.bool_]
    """For each term and each word of the query whether the term has it."""


class TermMatcher:
    """Scores terms by the words they share with a query.

    A term's score is the part of the query's weight that it has, and the part of its own weight
    that the query has, each to a power, times a `bias` of its own. A `reserve` is held against
    terms that are not the whole query.
    """

    def __init__(
        self, arrays: Mapping[str, npt.NDArray[Any]], bias: Floats, reserve: Floats
    ) -> None:
        self._required = arrays["required_terms"], arrays["required_offsets"].tolist()
        self._optional = arrays["optional_terms"], arrays["optional_offsets"].tolist()
        self._weights = arrays["stem_weight"].tolist()
        self._term_weight = np.maximum(arrays["term_weight"], _LIGHTEST)
        self._bias = bias
        self._reserve = reserve
        self._thread = threading.local()

    def match(self, words: Sequence[QueryWord], limit: int) -> TermMatches:
        """The terms that fit best."""
        said, met, *scratch = self._sheets()
        total = sum(word.weight for word in words) or 1.0
        for word in words:
            self._add(word, said, met, *scratch)
        near = np.flatnonzero(met > 0)  # of truth values, which is ten times as quick
        share = said[near] / total
        part = np.minimum(met[near] / self._term_weight[near], 1.0)
        scores = share**SAID_POWER * part**_MET_POWER * self._bias[near]
        scores *= np.where(np.minimum(share, part) < _WHOLE, self._reserve[near], 1.0)
        if len(near) > limit:
            best = np.argpartition(-scores, limit)[:limit]
            near, scores, share = near[best], scores[best], share[best]
        order = np.lexsort((near, -scores))
        near = near[order]
        has = np.zeros((len(near), len(words)), np.bool_)
        for column, word in enumerate(words):
            has[:, column] = self._have(near, word)
        return TermMatches(near, scores[order], share[order], has)

    def _sheets(self) -> npt.NDArray[np.float32]:
        """Four rows of zeros, one for each term. Making them is slow, so a thread keeps its own."""
        sheets: npt.NDArray[np.float32] | None = getattr(self._thread, "sheets", None)
        if sheets is None:
            sheets = self._thread.sheets = np.zeros((4, len(self._bias)), np.float32)
        sheets[:2] = 0.0  # the other two are left as clean as they were
        return sheets

    def _add(self, word: QueryWord, said: Floats, met: Floats, best: Floats, own: Floats) -> None:
        """Add what one word gives. Of several things it may stand for, the likeliest counts.

        A fancy-indexed `+=` adds once to a place that is named twice, which is what is wanted.
        """
        if len(word.alternatives) == 1:
            stem, likeness = word.alternatives[0]
            required = _of(self._required, stem)
            said[_of(self._optional, stem)] += word.weight * likeness * _OPTIONAL
            said[required] += word.weight * likeness
            met[required] += self._weights[stem] * likeness
            return
        places = []
        for stem, likeness in reversed(word.alternatives):
            optional, required = _of(self._optional, stem), _of(self._required, stem)
            best[optional] = np.maximum(best[optional], likeness * _OPTIONAL)
            best[required] = likeness
            own[required] = self._weights[stem] * likeness
            places += [optional, required]
        if places:
            at = np.concatenate(places)
            said[at] += best[at] * word.weight
            met[at] += own[at]
            best[at] = own[at] = 0.0

    def _have(self, terms: npt.NDArray[np.int64], word: QueryWord) -> npt.NDArray[np.bool_]:
        found = np.zeros(len(terms), np.bool_)
        for stem, _ in word.alternatives:
            for postings in (self._required, self._optional):
                listed = _of(postings, stem)
                if len(listed):
                    at = np.minimum(np.searchsorted(listed, terms), len(listed) - 1)
                    found |= listed[at] == terms
        return found


def _of(postings: tuple[Numbers, list[int]], stem: int) -> Numbers:
    terms, offsets = postings
    return terms[offsets[stem] : offsets[stem + 1]]
