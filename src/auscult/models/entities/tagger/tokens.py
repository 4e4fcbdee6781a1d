"""Notes cut into sentences of tokens, for tagging."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from auscult.core import Span

_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
_BREAK = re.compile(r"\n\s*\n|\n(?=\s*[-*•\d]+[.)\s])")
_ENDS = frozenset(".!?;")
_LONGEST = 120
"""Tokens of a sentence; a longer one is cut."""


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """The tokens of a note, and the lengths of the sentences they make."""

    words: tuple[str, ...] = field(repr=False)
    begins: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]

    def __repr__(self) -> str:
        return f"Sentences({len(self.lengths)} of {len(self.words)} tokens)"

    def span(self, first: int, last: int) -> Span:
        """The characters from one token to another, both included."""
        return Span(int(self.begins[first]), int(self.ends[last]))

    def tokens_of(self, span: Span) -> tuple[int, int] | None:
        """The first and last token that a span touches; None when it touches none."""
        first = int(np.searchsorted(self.ends, span.begin, side="right"))
        last = int(np.searchsorted(self.begins, span.end, side="left")) - 1
        return (first, last) if first <= last else None


def sentences(text: str) -> Sentences:
    """The sentences of a text.

    >>> found = sentences("No CHF. BP 120/80.")
    >>> found.words, found.lengths.tolist()
    (('No', 'CHF', '.', 'BP', '120', '/', '80', '.'), [3, 5])
    """
    matches = list(_TOKEN.finditer(text))
    words = tuple(match[0] for match in matches)
    begins = np.array([match.start() for match in matches], np.int64)
    ends = np.array([match.end() for match in matches], np.int64)
    breaks = [match.start() for match in _BREAK.finditer(text)]
    cuts = {int(np.searchsorted(begins, at)) for at in breaks} if len(begins) else set()
    lengths = []
    begun = 0
    for at in range(1, len(words) + 1):
        ended = at == len(words) or at in cuts or at - begun >= _LONGEST
        if not ended and words[at - 1] in _ENDS:
            ended = begins[at] > ends[at - 1] and not words[at][0].islower()
        if ended:
            lengths.append(at - begun)
            begun = at
    return Sentences(words, begins, ends, np.array(lengths, np.int64))
