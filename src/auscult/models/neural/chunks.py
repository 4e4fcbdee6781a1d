"""Long notes cut into overlapping chunks for an encoder; each token is used from one chunk.

Neighboring chunks overlap. The pieces in an overlap are there for context in one chunk and are
read in the other: half of the overlap belongs to each, so that what is read has context on both
sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Chunk:
    """Pieces `begin` up to `end` go through the encoder; `first` up to `last` are read here."""

    begin: int
    end: int
    first: int
    last: int


def cut(starts: npt.NDArray[np.bool_], room: int, overlap: int) -> list[Chunk]:
    """Cut a note's pieces into chunks of at most `room` pieces that share `overlap`.

    `starts` is true where a piece may be the first that a chunk reads, so that no word is read
    half in one chunk and half in the next. A run without such a place that is longer than a chunk
    is cut anywhere. `overlap` is less than `room`.

    >>> cut(np.array([True, False, True, True, False, True]), room=4, overlap=2)
    [Chunk(begin=0, end=4, first=0, last=3), Chunk(begin=2, end=6, first=3, last=6)]
    """
    margin = overlap // 2
    edges = np.flatnonzero(starts)
    made: list[Chunk] = []
    first, count = 0, len(starts)
    while first < count:
        begin = max(0, first - margin)
        end = min(begin + room, count)
        last = end if end == count else end - margin
        if end < count:
            before = int(np.searchsorted(edges, last, side="right")) - 1
            if before >= 0 and edges[before] > first:
                last = int(edges[before])
        made.append(Chunk(begin, end, first, last))
        first = last
    return made
