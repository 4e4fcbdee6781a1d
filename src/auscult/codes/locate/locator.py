"""Finds the terms of the code book in a note, those that fit the words best."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from auscult.codes.index.strings import Strings
from auscult.codes.locate.coordination import SIDES, is_joined, list_item
from auscult.codes.locate.distant_site import has_distant_site
from auscult.codes.locate.note_words import NoteWords, TextToken
from auscult.codes.locate.walk import BagTrie, FoundBags, Numbers
from auscult.codes.lookup.building import SOURCES
from auscult.codes.lookup.clinicians import Wording
from auscult.codes.lookup.terms import TermSource, reason

_GAPS = np.array([0, 0, 1, 2])
"""Empty places that a term of so many words may have between them; more words, no more."""
_GAP_COST = 0.7
_SYNONYM_COST = 0.4
_LISTED_WORDS, _LISTED_GAP = 3, 9
"""Words of a term whose parts stand in a list, and the empty places between them."""
_AND = re.compile(r"\b(?:and|with)\b")
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
    item: tuple[int, ...] = ()
    """Of a term that shares words with another in a list, the tokens that are its own."""

    @property
    def fit(self) -> float:
        """How well words and terms fit."""
        return fit_of(self.size, self.gap, self.cost)


def fit_of(words: int, gap: int, synonyms: int) -> float:
    """How well the words of a note fit a term: longer ones better, gaps and synonyms worse."""
    return words - _GAP_COST * gap - _SYNONYM_COST * synonyms


class WordReader(Protocol):
    """Reads a note for the keys of terms."""

    def read(self, text: str, sentences: Sequence[int]) -> NoteWords:
        """The words of a text whose sentences begin at the given characters, its end last."""
        ...


class TermLocator:
    """Locates the terms of the arrays that `lookup.building` made.

    `preferences` says of each term how likely it is to be meant, its words given. `reader` makes
    the keys that the terms of the arrays have.
    """

    def __init__(
        self,
        arrays: Mapping[str, npt.NDArray[Any]],
        codes: Sequence[str],
        preferences: npt.NDArray[np.float32],
        reader: WordReader,
    ) -> None:
        self._reader = reader
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
        found = self._trie.walk(words.keys)
        extent, gap = _extents(found)
        size = extent - gap
        is_near = gap <= _GAPS[np.minimum(size, len(_GAPS) - 1)]
        is_apart = ~is_near & (size > 1) & (size <= _LISTED_WORDS) & (gap <= _LISTED_GAP)
        meant = {form.token: form.meaning for form in words.short_forms}
        taken: set[int] = set()
        kept: list[LocatedTerm] = []
        near = self._located(words, _chosen(found, is_near), meant)
        apart = list(self._located(words, _chosen(found, is_apart), {}))
        named = (pair for one in apart if (pair := _named_pair(one, words.tokens)) is not None)
        for one in _best_first([*near, *named]):
            if taken.isdisjoint(one.tokens):
                taken.update(one.tokens)
                kept.append(one)
        for one in _best_first(apart):
            every = (other.tokens for other in kept)
            item = list_item(one.tokens, every, taken, words.tokens)
            if item:
                taken.update(one.tokens)
                kept.append(replace(one, gap=0, item=item))
            elif taken.isdisjoint(one.tokens) and has_distant_site(one.tokens, words.tokens):
                taken.update(one.tokens)
                kept.append(one)
        kept.sort(key=lambda one: one.tokens)
        return words, kept

    def _located(
        self,
        words: NoteWords,
        found: Iterable[tuple[int, list[int], int, int]],
        meant: Mapping[int, Wording],
    ) -> Iterator[LocatedTerm]:
        # Of terms with the same words of the note, those with more words of their own go first.
        nodes: dict[tuple[int, ...], list[tuple[tuple[int, int, int], int]]] = {}
        for node, places, gap, cost in found:
            tokens = tuple(sorted({words.token_at[place] for place in places}))
            if len(tokens) < len(places) and len(tokens) == 1 and tokens[0] not in meant:
                continue  # a kind of neoplasm without a site
            if gap:
                gap = max(0, gap - _sides_between(tokens, words.tokens))
            nodes.setdefault(tokens, []).append(((-len(places), cost, gap), node))
        for token, meaning in meant.items():
            if meaning.code:
                nodes.setdefault((token,), [])
        for tokens, ended in nodes.items():
            rank = min((rank for rank, _ in ended), default=(0, 0, 0))
            terms = [t for other, node in ended if other == rank for t in self._terms(node)]
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


def _named_pair(one: LocatedTerm, words: Sequence[TextToken]) -> LocatedTerm | None:
    """A term whose words are joined by a conjunction, as in its own name: *nausea and vomiting*."""
    terms = tuple(term for term in one.terms if _AND.search(term.label))
    return replace(one, gap=0, terms=terms) if terms and is_joined(one.tokens, words) else None


def _sides_between(tokens: Sequence[int], words: Sequence[TextToken]) -> int:
    """How many words between those of a term only say on which side it is: *broken left wrist*."""
    return sum(
        1
        for at in range(tokens[0] + 1, tokens[-1])
        if at not in tokens and words[at].folded in SIDES
    )


def _best_first(located: Iterable[LocatedTerm]) -> list[LocatedTerm]:
    """Those that fit best; of as many words, those of more words that are written in the note."""
    return sorted(
        located,
        key=lambda one: (
            -one.fit,
            -len(one.tokens),
            -one.terms[0].preference if one.terms else 0.0,
        ),
    )


def _extents(found: FoundBags) -> tuple[Numbers, Numbers]:
    """How many places each bag reaches over, and how many of them are not its own."""
    extent = np.ceil(np.log2(found.bits.astype(np.float64) + 1)).astype(np.int64)
    return extent, extent - np.bitwise_count(found.bits)


def _chosen(
    found: FoundBags, chosen: npt.NDArray[np.bool_]
) -> Iterator[tuple[int, list[int], int, int]]:
    """Of some bags the node, the places, the gap and the cost."""
    extent, gap = _extents(found)
    columns = (found.nodes, found.firsts, found.bits, extent, gap, found.costs)
    for node, first, bits, length, empty, cost in zip(
        *(column[chosen].tolist() for column in columns), strict=True
    ):
        yield node, [first + at for at in range(length) if bits >> at & 1], empty, cost
