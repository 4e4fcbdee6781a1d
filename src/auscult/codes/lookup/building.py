"""From a stream of terms to the arrays that the search maps into memory."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt

from auscult.codes.index import trigrams
from auscult.codes.index.build import Arrays
from auscult.codes.index.strings import packed
from auscult.codes.locate.bags import BagBuilder
from auscult.codes.lookup.terms import SearchTerm, TermSource
from auscult.codes.lookup.words import emphasis, stem_of, words_of

SOURCES = tuple(TermSource)
_PLACES = {source: at for at, source in enumerate(SOURCES)}
LAYOUT = 18
"""To be raised when the arrays change."""
_RAREST = 3
"""Stems of fewer terms weigh as if they had this many."""


class _StemNumbers(dict[str, int]):
    """The number of each word's stem, given as the words come, and how much each stem says."""

    def __init__(self) -> None:
        super().__init__()
        self.stems: dict[str, int] = {}
        self.emphases: list[float] = []

    def __missing__(self, word: str) -> int:
        at = self[word] = self.stems.setdefault(stem_of(word), len(self.stems))
        if at == len(self.emphases):
            self.emphases.append(emphasis(word))
        return at

    def of(self, text: str) -> set[int]:
        """The stems of a text."""
        return {self[word] for word in words_of(text)} if text else set()


class _Pairs:
    """Which stems each term has."""

    def __init__(self) -> None:
        self._stems = array("q")
        self._counts = array("q")

    def add(self, stems: Collection[int]) -> None:
        """Give the next term its stems."""
        if stems:
            self._stems.fromlist(sorted(stems))
        self._counts.append(len(stems))

    def of_stems(self) -> npt.NDArray[np.int64]:
        """The stems, term by term."""
        return np.frombuffer(self._stems, np.int64)

    def of_terms(self) -> npt.NDArray[np.int64]:
        """For each of them its term."""
        counts = np.frombuffer(self._counts, np.int64)
        return np.repeat(np.arange(len(counts)), counts)


def build_arrays(terms: Iterable[SearchTerm], aliases: Iterable[tuple[str, str]] = ()) -> Arrays:
    """The arrays of a search: terms by stem, stems by word, words by trigram.

    `aliases` are words with what they are to be read as too.
    """
    stems = _StemNumbers()
    codes: dict[str, int] = {}
    columns = {name: array("q") for name in ("code", "source", "residual")}
    required, optional = _Pairs(), _Pairs()
    labels: list[str] = []
    bags = BagBuilder()
    for term in terms:
        needed = stems.of(term.words)
        if not needed:
            continue
        number = len(labels)
        required.add(needed)
        optional.add(stems.of(term.optional) - needed)
        columns["code"].append(codes.setdefault(term.code, len(codes)))
        columns["source"].append(_PLACES[term.source])
        columns["residual"].append(term.is_residual)
        labels.append(term.label)
        if term.is_written:
            bags.add(number, term.words)
    weights = _weights(required.of_stems(), len(stems.stems), len(labels))
    weights *= np.array(stems.emphases)
    words = sorted(stems)
    pairs_of_words = list(dict.fromkeys(aliases))
    return {
        **packed("code", codes),
        **packed("word", words),
        **packed("stem", stems.stems),
        **packed("label", labels),
        **packed("alias_from", (word for word, _ in pairs_of_words)),
        **packed("alias_to", (other for _, other in pairs_of_words)),
        "word_stem": np.array([stems[word] for word in words], "<u4"),
        "stem_weight": weights.astype("<f4"),
        "term_code": np.array(columns["code"], "<u4"),
        "term_source": np.array(columns["source"], "<u1"),
        "term_residual": np.array(columns["residual"], "<u1"),
        "term_weight": np.bincount(
            required.of_terms(), weights=weights[required.of_stems()], minlength=len(labels)
        ).astype("<f4"),
        **_postings("required", required, len(weights)),
        **_postings("optional", optional, len(weights)),
        **trigrams.build_arrays(words),
        **bags.arrays(),
    }


def _weights(stems: npt.NDArray[np.int64], size: int, terms: int) -> npt.NDArray[np.float64]:
    """How much stems say by their rarity, at most 1."""
    counts = np.bincount(stems, minlength=size)
    rarity = np.log1p(terms / np.maximum(counts, _RAREST))
    found: npt.NDArray[np.float64] = rarity / np.log1p(terms / _RAREST)
    return found


def _postings(name: str, pairs: _Pairs, stems: int) -> Arrays:
    """The terms of each stem, in order."""
    counts = np.bincount(pairs.of_stems(), minlength=stems)
    by_stem = np.argsort(pairs.of_stems(), kind="stable")
    return {
        f"{name}_offsets": np.concatenate([[0], np.cumsum(counts)]).astype("<u4"),
        f"{name}_terms": pairs.of_terms()[by_stem].astype("<u4"),
    }
