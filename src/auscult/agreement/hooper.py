"""Hooper's indexing consistency: the codes two annotators share, divided by the codes of either.

For one unit it is C / (C + A + B), with C codes of both, A and B of one only. The mean weights
units equally, the pooled value codes. On real data they are 0.14 apart, so Auscult always reports
both. Units without a code from either are left out. With more than two annotators every pair
counts.

Hooper 1965, "Indexer consistency tests"; Funk and Reid 1983, "Indexing consistency in MEDLINE".
"""

from __future__ import annotations

import numpy as np

from auscult.agreement.ratings import Floats, Ratings
from auscult.agreement.resampling import divided, measured, ratio
from auscult.agreement.similarity import in_common
from auscult.core import Metric

_NOTHING = "no two annotators have a common unit to which one of them assigned a code"


def hooper_mean(ratings: Ratings, *, times: int = 0, seed: int = 0) -> Metric:
    """The mean over units (and pairs of annotators) of the shared codes out of all codes.

    >>> print(hooper_mean(Ratings.of([("AB", "A"), ("CDEF", "C"), ("", "")])))
    hooper_mean = 0.375
    """
    ratings = ratings.shared()
    shared, union = _counts(ratings)
    share = np.nan_to_num(divided(shared, union))
    definition = (
        "mean over units and pairs of annotators of |A ∩ B| / |A ∪ B|, except units that neither "
        "coded"
    )
    counted = np.asarray(union > 0, dtype=np.float64)
    return _metric("hooper_mean", definition, ratings, share, counted, times, seed)


def hooper_pooled(ratings: Ratings, *, times: int = 0, seed: int = 0) -> Metric:
    """All shared codes out of all codes, over the units together.

    >>> print(hooper_pooled(Ratings.of([("AB", "A"), ("CDEF", "C"), ("", "")])))
    hooper_pooled = 0.333
    """
    ratings = ratings.shared()
    shared, union = _counts(ratings)
    definition = "Σ |A ∩ B| / Σ |A ∪ B| over units and pairs of annotators"
    return _metric("hooper_pooled", definition, ratings, shared, union, times, seed)


def _counts(ratings: Ratings) -> tuple[Floats, Floats]:
    """Shared and all codes of each unit and pair of annotators (units × pairs)."""
    sizes = ratings.sizes.astype(np.float64)
    shared = np.zeros((len(ratings.sets), len(ratings.pairs())))
    union = np.zeros_like(shared)
    for at, (one, other) in enumerate(ratings.pairs()):
        both = ratings.seen[:, one] & ratings.seen[:, other]
        a, b = ratings.sets[both, one], ratings.sets[both, other]
        shared[both, at] = in_common(ratings, a, b)
        union[both, at] = sizes[a] + sizes[b] - shared[both, at]
    return shared, union


def _metric(
    name: str,
    definition: str,
    ratings: Ratings,
    top: Floats,
    bottom: Floats,
    times: int,
    seed: int,
) -> Metric:
    return measured(
        name,
        definition,
        ratio(ratings.by_chart(top.sum(axis=1)), ratings.by_chart(bottom.sum(axis=1))),
        ratings.charts,
        why=_NOTHING,
        n=int(((bottom > 0).sum(axis=1) * ratings.copies).sum()),
        times=times,
        seed=seed,
    )
