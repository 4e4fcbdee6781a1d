"""Lists of different lengths as arrays: where each begins, and how long it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


def expand(starts: npt.NDArray[Any], counts: npt.NDArray[Any]) -> tuple[Ints, Ints]:
    """The owner and the place of every element of lists that begin at `starts`.

    >>> expand(np.array([5, 0, 9]), np.array([2, 0, 1]))
    (array([0, 0, 2]), array([5, 6, 9]))
    """
    counts = counts.astype(np.int64)
    owner = np.repeat(np.arange(len(counts)), counts)
    before = np.cumsum(counts) - counts
    place = np.arange(len(owner)) + np.repeat(starts - before, counts)
    return owner, place


def first_of_runs(values: npt.NDArray[Any], *others: npt.NDArray[Any]) -> Ints:
    """Where runs of equal values begin, in one array or in several side by side.

    >>> first_of_runs(np.array([4, 4, 7, 7, 7, 4]))
    array([0, 2, 5])
    """
    changes = np.ones(len(values), bool)
    if len(values):
        changes[1:] = values[1:] != values[:-1]
        for other in others:
            changes[1:] |= other[1:] != other[:-1]
    return np.flatnonzero(changes)


def pointers(owners: npt.NDArray[Any], lists: int) -> Ints:
    """Where each list begins, of elements that are sorted by owner; and the end of the last.

    >>> pointers(np.array([0, 0, 2]), 3)
    array([0, 2, 2, 3])
    """
    return np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=lists))]).astype(np.int64)
