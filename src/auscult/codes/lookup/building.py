"""From a stream of terms to the arrays that the search maps into memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from auscult.codes.index import trigrams
from auscult.codes.index.build import Arrays
from auscult.codes.index.strings import pack
from auscult.codes.locate.bags import BagBuilder
from auscult.codes.lookup.terms import SearchTerm, TermSource
from auscult.codes.lookup.words import emphasis, stem_of, words_of

SOURCES = tuple(TermSource)
LAYOUT = 3
"""To be raised when the arrays change."""
_RAREST = 3
"""Stems of fewer terms weigh as if they had this many."""
_TERM = (1 << 32) - 1


class _StemNumbers:
    """Numbers stems as they come, and keeps how much each says."""

    def __init__(self) -> None:
        self.of_word: dict[str, int] = {}
        self.numbers: dict[str, int] = {}
        self.emphases: list[float] = []

    def of(self, text: str) -> set[int]:
        found = set()
        for word in words_of(text):
            at = self.of_word.get(word)
            if at is None:
                at = self.numbers.setdefault(stem_of(word), len(self.numbers))
                self.of_word[word] = at
                if at == len(self.emphases):
                    self.emphases.append(emphasis(word))
            found.add(at)
        return found


def build_arrays(terms: Iterable[SearchTerm], aliases: Iterable[tuple[str, str]] = ()) -> Arrays:
    """The arrays of a search: terms by stem, stems by word, words by trigram.

    `aliases` are words with what they are to be read as too.
    """
    stems = _StemNumbers()
    codes: dict[str, int] = {}
    columns = {name: array("q") for name in ("code", "source", "residual")}
    required, optional = array("q"), array("q")
    labels: list[str] = []
    bags = BagBuilder()
    for term in terms:
        needed = stems.of(term.words)
        if not needed:
            continue
        number = len(labels)
        required.extend((at << 32) | number for at in sorted(needed))
        optional.extend((at << 32) | number for at in sorted(stems.of(term.optional) - needed))
        columns["code"].append(codes.setdefault(term.code, len(codes)))
        columns["source"].append(SOURCES.index(term.source))
        columns["residual"].append(term.is_residual)
        labels.append(term.label)
        if term.is_written:
            bags.add(number, term.words)
    pairs = np.frombuffer(required, np.int64)
    weights = _weights(pairs >> 32, len(stems.numbers), len(labels)) * np.array(stems.emphases)
    words = sorted(stems.of_word)
    pairs_of_words = list(dict.fromkeys(aliases))
    return {
        **_packed("code", codes),
        **_packed("word", words),
        **_packed("stem", stems.numbers),
        **_packed("label", labels),
        **_packed("alias_from", (word for word, _ in pairs_of_words)),
        **_packed("alias_to", (other for _, other in pairs_of_words)),
        "word_stem": np.array([stems.of_word[word] for word in words], "<u4"),
        "stem_weight": weights.astype("<f4"),
        "term_code": np.array(columns["code"], "<u4"),
        "term_source": np.array(columns["source"], "<u1"),
        "term_residual": np.array(columns["residual"], "<u1"),
        "term_weight": np.bincount(
            pairs & _TERM, weights=weights[pairs >> 32], minlength=len(labels)
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


def _postings(name: str, pairs: array[int], stems: int) -> Arrays:
    """The terms of each stem, in order."""
    both = np.sort(np.frombuffer(pairs, np.int64))
    counts = np.bincount(both >> 32, minlength=stems)
    return {
        f"{name}_offsets": np.concatenate([[0], np.cumsum(counts)]).astype("<u4"),
        f"{name}_terms": (both & _TERM).astype("<u4"),
    }


def _packed(name: str, strings: Iterable[str]) -> Arrays:
    blob, offsets = pack(strings)
    return {f"{name}_texts": blob, f"{name}_text_offsets": offsets.astype("<u4")}
