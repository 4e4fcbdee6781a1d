"""Distances between code sets: nominal, Jaccard and MASI.

Each distance is 1 − similarity, and sets without a common code have similarity 0 by all three. Two
empty sets are the same set: similarity 1.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from scipy.sparse import csr_array, diags_array

from auscult.agreement.ratings import Floats, Ints, Ratings


class Distance(StrEnum):
    """A distance between two sets."""

    NOMINAL = "nominal"
    """0 for the same set, 1 for any other."""
    JACCARD = "jaccard"
    """1 − |A ∩ B| / |A ∪ B|."""
    MASI = "masi"
    """1 − |A ∩ B| / |A ∪ B| · m, with m = 1 for equal sets, 2/3 if one contains the other, 1/3
    if they overlap, 0 if they are disjoint (Passonneau 2006)."""


def similarity(distance: Distance, shared: Floats, one: Floats, other: Floats) -> Floats:
    """The similarity of two code sets, from the number of common codes and their sizes.

    >>> shared, one, other = np.array([[2.0, 1, 0, 0], [2, 2, 1, 0], [4, 2, 2, 0]])
    >>> similarity(Distance.MASI, shared, one, other).round(3).tolist()
    [0.333, 0.111, 0.0, 1.0]
    >>> similarity(Distance.JACCARD, shared, one, other).round(3).tolist()
    [0.5, 0.333, 0.0, 1.0]
    """
    same = (shared == one) & (shared == other)
    if distance is Distance.NOMINAL:
        return np.asarray(same, dtype=np.float64)
    union = one + other - shared
    jaccard = np.where(same, 1.0, shared / np.maximum(union, 1))
    if distance is Distance.JACCARD:
        return jaccard
    nested = (shared == one) | (shared == other)
    return jaccard * np.where(same, 1.0, np.where(nested, 2 / 3, 1 / 3))


def of_pairs(ratings: Ratings, distance: Distance, one: Ints, other: Ints) -> Floats:
    """The similarity of each pair of sets, named by their rows."""
    if distance is Distance.NOMINAL:
        return np.asarray(one == other, dtype=np.float64)
    sizes = ratings.sizes.astype(np.float64)
    return similarity(distance, in_common(ratings, one, other), sizes[one], sizes[other])


def in_common(ratings: Ratings, one: Ints, other: Ints) -> Floats:
    """How many codes each pair of sets has in common; equal pairs are counted once."""
    width = max(1, ratings.members.shape[0])
    pairs, back = np.unique(one * width + other, return_inverse=True)
    both = ratings.members[pairs // width].multiply(ratings.members[pairs % width])
    return np.asarray(both.sum(axis=1), dtype=np.float64).ravel()[back]


def table(ratings: Ratings, distance: Distance) -> csr_array:
    """The similarity of every set with every set that it is not disjoint with (sets × sets).

    Made once for the sets of a study.
    """
    known = ratings.distinct.alike
    if distance not in known:
        known[distance] = _table(ratings, distance)
    return known[distance]


def _table(ratings: Ratings, distance: Distance) -> csr_array:
    number = ratings.members.shape[0]
    sizes = ratings.sizes.astype(np.float64)
    empty = diags_array((sizes == 0).astype(np.float64))
    if distance is Distance.NOMINAL:
        return csr_array(diags_array(np.ones(number)))
    shared = ratings.members @ ratings.members.T
    rows = np.repeat(np.arange(number), np.diff(shared.indptr))
    alike = similarity(distance, shared.data, sizes[rows], sizes[shared.indices])
    return csr_array((alike, shared.indices, shared.indptr), shape=(number, number)) + empty


def cells(ratings: Ratings) -> float:
    """At most how many entries `table` has: what it would take to make it."""
    per_code = np.bincount(ratings.members.indices, minlength=1).astype(np.float64)
    return float((per_code**2).sum())
