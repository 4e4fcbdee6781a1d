"""Overlap of unique n-grams of two short texts, for chief complaints.

BLEU and ROUGE fix the largest n, which penalizes short texts, and count repetitions. Here n is at
most the length of the shorter text, and every n-gram counts once. Lee 2018, "Natural language
generation for electronic health records", supplement S2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LONGEST = 4


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many unique n-grams both texts have, and how many each has."""

    shared: int
    reference: int
    candidate: int

    @property
    def sensitivity(self) -> float:
        """The share of the reference that is found; 0 when one text has no words."""
        return self.shared / self.reference if self.reference else 0.0

    @property
    def ppv(self) -> float:
        """The share of the candidate that is right; 0 when one text has no words."""
        return self.shared / self.candidate if self.candidate else 0.0


def overlap(reference: Sequence[str], candidate: Sequence[str], longest: int = LONGEST) -> Overlap:
    """The unique 1- to n-grams of both, all levels pooled; n is at most either's length.

    >>> overlap("heat stroke".split(), "stroke after heat".split())
    Overlap(shared=2, reference=3, candidate=5)
    """
    most = min(longest, len(reference), len(candidate))
    expected, produced = unique_ngrams(reference, most), unique_ngrams(candidate, most)
    return Overlap(len(expected & produced), len(expected), len(produced))


def unique_ngrams(words: Sequence[str], longest: int) -> set[tuple[str, ...]]:
    """The 1- to `longest`-grams of a text, each once."""
    return {
        tuple(words[at : at + n])
        for n in range(1, longest + 1)
        for at in range(len(words) - n + 1)
    }  # fmt: skip
