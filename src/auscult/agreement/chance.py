"""The disagreement expected by chance: the mean distance between two assigned code sets.

The similarity of two sets depends on their sizes and on how many codes they share, and how many
pairs share how many can be counted from subsets, without looking at any pair: Σ C(shared, i) over
pairs is Σ N(T)² over all T of i codes, with N(T) the number of sets that hold T. Only where sets
are many and long is chance taken from a sample of pairs.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from auscult.agreement import similarity
from auscult.agreement.ratings import Floats, Ratings
from auscult.agreement.similarity import Distance

_SUBSETS = 1_000_000
_SAMPLED = 1_000_000
_SEED = 20_041_995


def expected(ratings: Ratings, distance: Distance) -> float:
    """D_e: the mean distance between two different ones of all sets that were given."""
    given = np.asarray(ratings.sets_by_chart().sum(axis=0), dtype=np.float64).ravel()
    number = given.sum()
    if distance is Distance.NOMINAL:
        alike = float((given**2).sum())
    elif np.exp2(ratings.sizes[given > 0]).sum() <= _SUBSETS:
        alike = by_subsets(ratings, distance, given)
    else:
        alike = _sampled(ratings, distance, given)
    return float((number**2 - alike) / (number * (number - 1)))


def by_subsets(ratings: Ratings, distance: Distance, given: Floats) -> float:
    """The similarities of all ordered pairs of sets, each given so many times, summed up."""
    sizes, members = ratings.sizes, ratings.members
    classes = np.unique(sizes)
    place = {size: at for at, size in enumerate(classes.tolist())}
    tables: list[dict[tuple[int, ...], Floats]] = [{} for _ in range(int(classes.max()) + 1)]
    for at in np.flatnonzero(given):
        codes = members.indices[members.indptr[at] : members.indptr[at + 1]].tolist()
        for i, table in enumerate(tables[: len(codes) + 1]):
            for subset in combinations(codes, i):
                if subset not in table:
                    table[subset] = np.zeros(len(classes))
                table[subset][place[len(codes)]] += given[at]
    # By size of either set: Σ C(shared, i) over pairs, and from these how many pairs share j codes.
    moments = [np.stack(list(table.values())) for table in tables if table]
    moments = [counts.T @ counts for counts in moments]
    one, other = np.meshgrid(classes.astype(np.float64), classes.astype(np.float64))
    total = 0.0
    for j in range(len(moments)):
        pairs = sum((-1) ** (i - j) * comb(i, j) * moments[i] for i in range(j, len(moments)))
        alike = similarity.similarity(distance, np.full(one.shape, float(j)), one, other)
        total += float((pairs * np.where(np.minimum(one, other) >= j, alike, 0.0)).sum())
    return total


def _sampled(ratings: Ratings, distance: Distance, given: Floats) -> float:
    """The same from a sample of pairs, always the same one (standard error below 0.0005 n²)."""
    dice = np.random.default_rng(_SEED)
    one, other = dice.choice(len(given), size=(2, _SAMPLED), p=given / given.sum())
    alike = similarity.of_pairs(ratings, distance, one, other).mean()
    return float(alike * given.sum() ** 2)
