"""Finds the terms of the code book in a note, those that fit the words best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from auscult.codes.index.strings import Strings
from auscult.codes.locate.note_words import NoteReader, NoteWords
from auscult.codes.locate.walk import BagTrie, FoundBags
from auscult.codes.lookup.aliases import read_aliases
from auscult.codes.lookup.building import SOURCES
from auscult.codes.lookup.clinicians import ClinicianTable, Wording
from auscult.codes.lookup.terms import TermSource, reason

_GAPS = np.array([0, 0, 1, 2])
"""Empty places that a term of so many words may have between them; more words, no more."""
_GAP_COST = 0.7
_SYNONYM_COST = 0.4
_CONSIDERED = 4
"""Terms with the same words of which one is chosen."""


class BookTerm(NamedTuple):
    """A term of the book: its code, its words, where it is from, how likely it is meant."""

    code: str
    label: str
    source: TermSource
    preference: float

    @property
    def reason(self) -> str:
        """Why its words lead to its code."""
        return reason(self.source, self.label)


@dataclass(frozen=True, slots=True, repr=False)
class LocatedTerm:
    """The words of a note that one or several terms have, and those terms, the likeliest first.

    `tokens` are numbers of the note's tokens. `size` is how many words they stand for: a short form
    may stand for several. `gap` counts the places between them that are not
    theirs, `cost` the synonyms. A short form has its `meaning`, and terms if others have its words.
    """

    tokens: tuple[int, ...]
    size: int
    gap: int
    cost: int
    terms: tuple[BookTerm, ...]
    meaning: Wording | None = None

    @property
    def fit(self) -> float:
        """How well words and terms fit."""
        return fit_of(self.size, self.gap, self.cost)


def fit_of(words: int, gap: int, synonyms: int) -> float:
    """How well the words of a note fit a term: longer ones better, gaps and synonyms worse."""
    return words - _GAP_COST * gap - _SYNONYM_COST * synonyms


class TermLocator:
    """Locates the terms of the arrays that `lookup.building` made.

    `preferences` says of each term how likely it is to be meant, its words given.
    """

    def __init__(
        self,
        arrays: Mapping[str, npt.NDArray[Any]],
        codes: Sequence[str],
        preferences: npt.NDArray[np.float32],
        clinicians: ClinicianTable,
    ) -> None:
        keys = Strings.of(arrays, "bag_key")
        self._reader = NoteReader(
            keys.numbers(), arrays["bag_key_rank"], clinicians, read_aliases(arrays)
        )
        self._trie = BagTrie(arrays)
        self._codes = codes
        self._preferences = preferences
        self._term_code = arrays["term_code"]
        self._term_source = arrays["term_source"]
        self._labels = Strings.of(arrays, "label")
        self._known: dict[int, tuple[BookTerm, ...]] = {}

    def locate(self, text: str, sentences: Sequence[int]) -> tuple[NoteWords, list[LocatedTerm]]:
        """The words of a text and the terms they make up, in order; no word is part of two terms.

        `sentences` says where sentences begin, the end of the text last.
        """
        words = self._reader.read(text, sentences)
        located = list(self._all(words))
        located.sort(key=lambda one: (-one.fit, -one.terms[0].preference if one.terms else 0.0))
        taken: set[int] = set()
        kept = []
        for one in located:
            if taken.isdisjoint(one.tokens):
                taken.update(one.tokens)
                kept.append(one)
        kept.sort(key=lambda one: one.tokens)
        return words, kept

    def _all(self, words: NoteWords) -> Iterator[LocatedTerm]:
        meant = {form.token: form.meaning for form in words.short_forms}
        # Of terms with the same words of the note, those with more words of their own go first.
        nodes: dict[tuple[int, ...], list[tuple[tuple[int, int, int], int]]] = {}
        for node, places, gap, cost in _near(self._trie.walk(words.keys)):
            tokens = tuple(sorted({words.token_at[place] for place in places}))
            if len(tokens) < len(places) and len(tokens) == 1 and tokens[0] not in meant:
                continue  # a kind of neoplasm without a site
            nodes.setdefault(tokens, []).append(((-len(places), cost, gap), node))
        for token, meaning in meant.items():
            if meaning.code:
                nodes.setdefault((token,), [])
        for tokens, found in nodes.items():
            rank = min((rank for rank, _ in found), default=(0, 0, 0))
            terms = [t for other, node in found if other == rank for t in self._terms(node)]
            terms.sort(key=lambda term: -term.preference)
            alone = meant.get(tokens[0]) if len(tokens) == 1 else None
            if alone is not None and not alone.code:
                continue  # a short form of what is no condition
            size, cost, gap = rank
            yield LocatedTerm(tokens, max(1, -size), gap, cost, tuple(terms[:_CONSIDERED]), alone)

    def _terms(self, node: int) -> tuple[BookTerm, ...]:
        known = self._known.get(node)
        if known is None:
            terms = self._trie.terms(node)
            best = np.argsort(-self._preferences[terms], kind="stable")[:_CONSIDERED]
            known = self._known[node] = tuple(
                BookTerm(
                    self._codes[self._term_code[term]],
                    self._labels[term],
                    SOURCES[self._term_source[term]],
                    float(self._preferences[term]),
                )
                for term in terms[best].tolist()
            )
        return known


def _near(found: FoundBags) -> Iterator[tuple[int, list[int], int, int]]:
    """The bags whose words stand near each other: node, places, gap and cost."""
    size = np.bitwise_count(found.bits).astype(np.int64)
    extent = np.ceil(np.log2(found.bits.astype(np.float64) + 1)).astype(np.int64)
    gap = extent - size
    near = np.flatnonzero(gap <= _GAPS[np.minimum(size, len(_GAPS) - 1)])
    columns = (found.nodes, found.firsts, found.bits, extent, gap, found.costs)
    for node, first, bits, length, empty, cost in zip(
        *(column[near].tolist() for column in columns), strict=True
    ):
        yield node, [first + at for at in range(length) if bits >> at & 1], empty, cost
