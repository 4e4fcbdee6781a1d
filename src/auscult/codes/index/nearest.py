"""The terms nearest to a set of words, out of an inverted index over stems.

A term's closeness is the weight of the stems it shares with the query over the weight of the stems
either has (a weighted Jaccard index); rare stems weigh more. The answer is exact, but most terms
are never looked at: one that lacks the query's heavy stems cannot come near (the MaxScore bound
of Turtle and Flood, 1995), nor can one that is much lighter or heavier than what it shares.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from auscult.codes.filters import TermFilter
from auscult.codes.vocabulary import Vocabulary

_DIGITS = 6
"""Scores that agree to this many digits are ties, broken by prevalence."""
_SLACK = 2 * 10**-_DIGITS
_WINDOW = 256
_AT_ONCE = 40_000
_WORDS = 24
"""How many of a query's rarest words retrieve candidates; the other words only affect the score."""
Terms = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]


class Stem(NamedTuple):
    """A stem that a word of the query may stand for, and how surely (1.0: it is that word)."""

    number: int
    likeness: float


class _Postings:
    """The terms that have a stem, and what a term gains by it."""

    def __init__(self, stem: Stem, vocabulary: Vocabulary) -> None:
        arrays = vocabulary.arrays
        first, last = arrays["stem_offsets"][stem.number : stem.number + 2].tolist()
        self.by_number = arrays["stem_terms"][first:last]
        self.by_weight = arrays["stem_terms_by_weight"][first:last]
        self.rarity = math.log1p(vocabulary.manifest.terms / (last - first))
        self.gain = self.rarity * stem.likeness
        row = int(arrays["bitmap_of_stem"].searchsorted(stem.number))
        has_bitmap = row < len(arrays["bitmap_of_stem"]) and (
            arrays["bitmap_of_stem"][row] == stem.number
        )
        self._bitmap = arrays["bitmaps"][row] if has_bitmap else None

    def gain_of(self, terms: Terms) -> Scores:
        """What each of the terms gains by the stem."""
        if self._bitmap is not None:
            has = (self._bitmap[terms >> 3] >> (terms & 7).astype(np.uint8)) & 1 != 0
        else:
            at = self.by_number.searchsorted(terms)
            at[at == len(self.by_number)] = 0
            has = self.by_number[at] == terms
        return np.where(has, self.gain, 0.0)


class _Word(NamedTuple):
    """One word of the query: the stems it may stand for. Of those a term has, the best counts."""

    stems: list[_Postings]
    weight: float
    most: float
    size: int

    def gain_of(self, terms: Terms) -> Scores:
        """What each of the terms gains by the word."""
        gains = self.stems[0].gain_of(terms)
        for other in self.stems[1:]:
            np.maximum(gains, other.gain_of(terms), out=gains)
        return gains


class _Best:
    """The best terms so far, of as many concepts as are asked for."""

    def __init__(self, vocabulary: Vocabulary, limit: int) -> None:
        self._vocabulary = vocabulary
        self._limit = limit
        self.terms: Terms = np.zeros(0, dtype=np.int64)
        self.scores: Scores = np.zeros(0)
        self.bar = 0.0
        """The lowest score that a result can still have."""

    def add(self, terms: Terms, scores: Scores) -> None:
        """Consider more terms, which may have been considered before."""
        hopeful = scores >= self.bar
        terms = np.concatenate([self.terms, terms[hopeful]])
        scores = np.concatenate([self.scores, scores[hopeful]])
        terms, first = np.unique(terms, return_index=True)
        scores = scores[first]
        concepts = self._vocabulary.concepts_of(terms)
        starts = np.flatnonzero(concepts[1:] != concepts[:-1]) + 1
        starts = np.concatenate([[0], starts]) if len(terms) else starts
        if len(starts) >= self._limit:
            best = np.maximum.reduceat(scores, starts)
            self.bar = float(np.partition(best, -self._limit)[-self._limit])
            hopeful = scores >= self.bar
            terms, scores = terms[hopeful], scores[hopeful]
        self.terms, self.scores = terms, scores

    def ranked(self) -> list[tuple[int, int, float]]:
        """Concept, its nearest term, score: by score, then by prevalence."""
        concepts = self._vocabulary.concepts_of(self.terms)
        found: dict[int, tuple[int, int, float]] = {}
        for place in np.lexsort((self.terms, -self.scores)).tolist():
            concept = int(concepts[place])
            if concept not in found:
                found[concept] = (concept, int(self.terms[place]), float(self.scores[place]))
        return list(found.values())[: self._limit]


def nearest(
    vocabulary: Vocabulary,
    words: Sequence[Sequence[Stem]],
    limit: int,
    allowed: TermFilter,
) -> list[tuple[int, int, float]]:
    """The concepts nearest to words, each word given by the stems it may stand for.

    Each with its nearest term and the score; ties in order of prevalence. A word that stands for
    no stem weighs as much as the rarest would, so that nothing is wholly like it.
    """
    known = [_word(stems, vocabulary) for stems in words if stems]
    known.sort(key=lambda word: -word.most)
    lost = (len(words) - len(known)) * math.log1p(vocabulary.manifest.terms)
    total = sum(word.weight for word in known) + lost
    del known[_WORDS:]
    best = _Best(vocabulary, limit)
    sizes = accumulate(word.size for word in known)
    few = sum(size <= _AT_ONCE for size in sizes) if len(known) > 1 else 0
    if few:
        _merge(vocabulary, known[:few], known[few:], total, allowed, best)
    for at, word in enumerate(known[few:], few):
        # A term that has one of the words before was looked at then.
        for postings in word.stems:
            _search(vocabulary, postings, known[at + 1 :], total, allowed, best)
    return best.ranked()


def _word(stems: Sequence[Stem], vocabulary: Vocabulary) -> _Word:
    postings = [_Postings(stem, vocabulary) for stem in stems]
    postings.sort(key=lambda p: -p.gain)
    size = sum(len(p.by_number) for p in postings)
    return _Word(postings, max(p.rarity for p in postings), postings[0].gain, size)


def _merge(
    vocabulary: Vocabulary,
    words: list[_Word],
    others: list[_Word],
    total: float,
    allowed: TermFilter,
    best: _Best,
) -> None:
    """Look at all terms that have any of some words, by merging the words' lists."""
    stems = [postings for word in words for postings in reversed(word.stems)]  # best last
    word_of = np.array([at for at, word in enumerate(words) for _ in word.stems])
    gain_of = np.array([postings.gain for postings in stems])
    bits = len(stems).bit_length()
    wide: type = np.uint64 if vocabulary.manifest.terms >> (32 - bits) else np.uint32
    keys = np.concatenate(
        [(p.by_number.astype(wide) << wide(bits)) | wide(at) for at, p in enumerate(stems)]
    )
    keys.sort()
    of_key, stem = keys >> wide(bits), keys & wide((1 << bits) - 1)
    gains = gain_of[stem]
    if len(stems) > len(words):
        # Of several stems of one word, the best counts; it comes last.
        same = (of_key[1:] == of_key[:-1]) & (word_of[stem[1:]] == word_of[stem[:-1]])
        gains[:-1][same] = 0.0
    starts = np.flatnonzero(np.concatenate([[True], of_key[1:] != of_key[:-1]]))
    terms, gains = of_key[starts].astype(np.int64), np.add.reduceat(gains, starts)
    if not allowed.is_open:
        fits = allowed.allows(terms, vocabulary.concepts_of(terms))
        terms, gains = terms[fits], gains[fits]
    if len(terms) > _WINDOW:
        # The best by these words alone set a bar that few of the rest can come up to.
        levels = (gains * (255 / total)).astype(np.uint8)
        above = np.cumsum(np.bincount(levels, minlength=256)[::-1])
        most = levels >= 255 - int(np.searchsorted(above, _WINDOW))
        _finish(vocabulary, terms[most], gains[most], others, total, best)
        terms, gains = terms[~most], gains[~most]
    _finish(vocabulary, terms, gains, others, total, best)


def _finish(
    vocabulary: Vocabulary,
    terms: Terms,
    gains: Scores,
    others: list[_Word],
    total: float,
    best: _Best,
) -> None:
    """Add what terms gain by the other words, and keep those that come up to the bar."""
    needed = (best.bar - _SLACK) * total
    within_reach = sum(word.most for word in others)
    for word in (*others, None):
        # Most terms have none of the others, and are soon out of the running.
        hopeful = np.flatnonzero(gains >= needed - within_reach)
        if len(hopeful) < len(terms):
            terms, gains = terms[hopeful], gains[hopeful]
        if word is not None:
            gains = gains + word.gain_of(terms)
            within_reach -= word.most
    weights = vocabulary.arrays["term_weight"][terms]
    best.add(terms, np.round(gains / (total + weights - gains), _DIGITS))


def _search(
    vocabulary: Vocabulary,
    stem: _Postings,
    others: list[_Word],
    total: float,
    allowed: TermFilter,
    best: _Best,
) -> None:
    """Look at the terms that have a stem, from those most promising outwards.

    A term of weight `w` can score min(w, reach) / (total + w - min(w, reach)), `reach` being the
    most that the stem and the other words can give. That is most at w = reach and falls to both
    sides; what falls below the bar need not be looked at.
    """
    weights = vocabulary.arrays["term_weight"]
    reach = stem.gain + sum(word.most for word in others)
    if reach / total < best.bar - _SLACK:
        return
    postings = stem.by_weight

    def place(weight: float) -> int:
        return bisect_left(postings, weight, key=weights.__getitem__)

    left = right = place(reach)
    width = _WINDOW
    while True:
        bar = best.bar - _SLACK
        lowest = place(bar * total) if bar > 0 else 0
        highest = place(reach / bar + reach - total) if bar > 0 else len(postings)
        begin = min(left, max(lowest, left - width))
        end = max(right, min(highest, right + width))
        if begin == left and end == right:
            return
        terms = np.concatenate([postings[begin:left], postings[right:end]]).astype(np.int64)
        left, right, width = begin, end, 8 * width
        if not allowed.is_open:
            terms = terms[allowed.allows(terms, vocabulary.concepts_of(terms))]
        _finish(vocabulary, terms, np.full(len(terms), stem.gain), others, total, best)
