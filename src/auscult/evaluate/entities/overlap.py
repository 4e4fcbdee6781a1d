"""Which spans share characters, and how many, without comparing every span with every other.

Spans of one group (a note, or a concept of a note) lie on a line of their own; lines are laid one
after the other. In order of where they begin, the spans that can reach a place are a range: from
the first whose forerunners or itself end behind it, to the last that begins before its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from auscult.evaluate.entities.marked_spans import Bools, Ints, MarkedSpans

_PAIRS_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True, repr=False)
class TextPieces:
    """Stretches of text, who they belong to, and the line they lie on."""

    owner: Ints
    line: Ints
    begin: Ints
    end: Ints


def on_notes(marked: MarkedSpans) -> TextPieces:
    """The spans, each note a line."""
    return TextPieces(
        marked.part_span, marked.note[marked.part_span], marked.part_begin, marked.part_end
    )


def on_concepts(marked: MarkedSpans, chosen: Bools, concepts: int) -> TextPieces:
    """The chosen rows of `pair_…`, each concept of a note a line of its own."""
    rows = np.flatnonzero(chosen)
    spans = marked.pair_span[rows]
    first, last = (np.searchsorted(marked.part_span, spans, side=s) for s in ("left", "right"))
    at, part = expanded(first, last)
    line = marked.note[spans] * concepts + marked.pair_concept[rows]
    return TextPieces(rows[at], line[at], marked.part_begin[part], marked.part_end[part])


def expanded(first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """All members of the ranges `first` to `last`, and which range each is of.

    >>> expanded(np.array([0, 5]), np.array([2, 6]))
    (array([0, 0, 1]), array([0, 1, 5]))
    """
    size = np.maximum(last - first, 0)
    which = np.repeat(np.arange(len(size)), size)
    member = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    return which, member + np.repeat(first, size)


def overlapping(one: TextPieces, other: TextPieces) -> tuple[Ints, Ints, Ints]:
    """All pairs of owners that share characters on a line, and how many they share."""
    nothing = np.zeros(0, dtype=np.int64)
    if not len(one.owner) or not len(other.owner):
        return nothing, nothing, nothing
    # Laid one after the other only as far as they are used, so that no number grows too large.
    lines, where = np.unique(np.concatenate([one.line, other.line]), return_inverse=True)
    width = int(max(one.end.max(), other.end.max())) + 1
    start = np.arange(len(lines)) * width
    shift, shift_other = start[where[: len(one.line)]], start[where[len(one.line) :]]
    begin, end = one.begin + shift, one.end + shift
    order = np.argsort(other.begin + shift_other, kind="stable")
    begin_other, end_other = ((x + shift_other)[order] for x in (other.begin, other.end))
    owner_other = other.owner[order]
    low = np.searchsorted(np.maximum.accumulate(end_other), begin, side="right")
    high = np.searchsorted(begin_other, end, side="left")
    found = []
    candidates = np.cumsum(np.maximum(high - low, 0))
    cuts = np.searchsorted(candidates, np.arange(0, candidates[-1], _PAIRS_AT_ONCE), side="left")
    edges = np.unique([*cuts.tolist(), 0, len(begin)])
    for start_at, stop_at in pairwise(edges):
        at, member = expanded(low[start_at:stop_at], high[start_at:stop_at])
        at += start_at
        shared = np.minimum(end[at], end_other[member]) - np.maximum(begin[at], begin_other[member])
        some = shared > 0
        found.append(np.stack([one.owner[at[some]], owner_other[member[some]], shared[some]]))
    left, right, characters = np.concatenate(found, axis=1)
    return _summed(left, right, characters)


def _summed(left: Ints, right: Ints, characters: Ints) -> tuple[Ints, Ints, Ints]:
    """Each pair once, with the characters of all its parts."""
    if not len(left):
        return left, right, characters
    size = int(right.max()) + 1
    pairs, place = np.unique(left * size + right, return_inverse=True)
    total = np.bincount(place, weights=characters).astype(np.int64)
    return pairs // size, pairs % size, total


def covered(pieces: TextPieces, groups: Ints, number: int) -> Ints:
    """How many characters the pieces of each group cover, those under several pieces once.

    `groups` says of each piece which group it is of; a line lies in one group.
    """
    if not len(pieces.owner):
        return np.zeros(number, dtype=np.int64)
    order = np.lexsort((pieces.begin, pieces.line))
    line, begin, end = pieces.line[order], pieces.begin[order], pieces.end[order]
    _, where = np.unique(line, return_inverse=True)
    shift = where * (int(end.max()) + 1)
    reach = np.maximum.accumulate(end + shift)
    before = np.concatenate([[0], reach[:-1]])
    new = np.maximum(0, end + shift - np.maximum(begin + shift, before))
    return np.bincount(groups[order], weights=new, minlength=number).astype(np.int64)
