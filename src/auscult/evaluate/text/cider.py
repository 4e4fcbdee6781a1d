"""Modified CIDEr: the similarity of two texts by tf-idf vectors of n-grams.

CIDEr (Vedantam et al. 2015) is the mean over n of the cosine between tf-idf vectors of n-grams. It
is undefined if a text is shorter than n, so n is at most the length of the shorter text (Lee 2018,
supplement S3). There is no factor of 10.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from auscult.evaluate.text.ngrams import LONGEST, unique_ngrams

Gram = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rarity:
    """The document frequency of each n-gram in the reference texts."""

    texts: int
    counts: Mapping[Gram, int] = field(repr=False)

    @classmethod
    def of(cls, references: Iterable[Sequence[str]], longest: int = LONGEST) -> Rarity:
        """Count the n-grams of reference texts."""
        every = list(references)
        counts = Counter(gram for words in every for gram in unique_ngrams(words, longest))
        return cls(len(every), counts)

    def weight(self, gram: Gram) -> float:
        """The inverse document frequency of an n-gram."""
        return math.log(self.texts / max(1, self.counts.get(gram, 0)))


def cider(
    reference: Sequence[str], candidate: Sequence[str], rarity: Rarity, longest: int = LONGEST
) -> float | None:
    """The mean over n of the cosines; a zero vector counts as 0.

    None if all vectors are zero: one text has no words, or none with a weight.
    """
    most = min(longest, len(reference), len(candidate))
    cosines = [
        _cosine(_weighted(reference, n, rarity), _weighted(candidate, n, rarity))
        for n in range(1, most + 1)
    ]
    if all(cosine is None for cosine in cosines):
        return None
    return sum(cosine or 0.0 for cosine in cosines) / most


def _weighted(words: Sequence[str], n: int, rarity: Rarity) -> dict[Gram, float]:
    counts = Counter(tuple(words[at : at + n]) for at in range(len(words) - n + 1))
    return {gram: count * rarity.weight(gram) for gram, count in counts.items()}


def _cosine(one: Mapping[Gram, float], other: Mapping[Gram, float]) -> float | None:
    lengths = math.hypot(*one.values()) * math.hypot(*other.values())
    if not lengths:
        return None
    return min(1.0, sum(weight * other.get(gram, 0.0) for gram, weight in one.items()) / lengths)
