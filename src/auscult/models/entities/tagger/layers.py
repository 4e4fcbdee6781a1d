"""Conversion of nested spans to token tags and back, with a layer for each nesting level.

A span that contains no other is in the first layer, one that contains such a span in the second,
and so on: a mention is tagged alike wherever it stands, and compounds are built upon it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Range = tuple[int, int]
"""The first and the last token."""
OUTSIDE, SINGLE, BEGIN, INSIDE, END = range(5)
TAGS = 5

_OPEN = (BEGIN, INSIDE)
_CLOSED = (OUTSIDE, SINGLE, END)
MAY_FOLLOW: npt.NDArray[np.bool_] = np.array(
    [
        [(after in (INSIDE, END)) == (before in _OPEN) for after in range(TAGS)]
        for before in range(TAGS)
    ]
)
MAY_BEGIN: npt.NDArray[np.bool_] = np.array([tag not in (INSIDE, END) for tag in range(TAGS)])
MAY_END: npt.NDArray[np.bool_] = np.array([tag in _CLOSED for tag in range(TAGS)])


def layers(ranges: Iterable[Range], most: int) -> list[list[Range]]:
    """The ranges of each layer, the innermost first; those that cross others go further up.

    >>> layers([(0, 2), (1, 2), (2, 2), (4, 4)], 3)
    [[(2, 2), (4, 4)], [(1, 2)], [(0, 2)]]
    """
    found: list[list[Range]] = []
    for one in sorted(set(ranges), key=lambda r: (r[1] - r[0], r)):
        # Above everything it touches, all of which is shorter or crosses it.
        height = 1 + max(
            (at for at, layer in enumerate(found) if any(_touch(one, other) for other in layer)),
            default=-1,
        )
        if height < most:
            if height == len(found):
                found.append([])
            found[height].append(one)
    return [sorted(layer) for layer in found]


def _touch(one: Range, other: Range) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def to_tags(ranges: Iterable[Range], count: int) -> npt.NDArray[np.int64]:
    """The tags of ranges that do not touch."""
    tags = np.full(count, OUTSIDE, np.int64)
    for first, last in ranges:
        if first == last:
            tags[first] = SINGLE
        else:
            tags[first : last + 1] = INSIDE
            tags[first], tags[last] = BEGIN, END
    return tags


def to_ranges(tags: Sequence[int]) -> list[Range]:
    """The ranges of tags.

    >>> to_ranges(to_tags([(0, 2), (4, 4)], 6).tolist())
    [(0, 2), (4, 4)]
    """
    found = []
    begun = -1
    for at, tag in enumerate(tags):
        if tag == SINGLE:
            found.append((at, at))
        elif tag == BEGIN:
            begun = at
        elif tag == END and begun >= 0:
            found.append((begun, at))
            begun = -1
    return found
