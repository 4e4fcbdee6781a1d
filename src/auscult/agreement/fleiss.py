"""Fleiss' κ: chance-corrected agreement of several annotators, with pooled marginals.

κ = (P − P_e) / (1 − P_e). P is the mean over units of the share of pairs of annotators who agree,
P_e the sum of squares of the categories' shares. Where units have different numbers of annotators,
each unit's share is over its own pairs.

Fleiss 1971, "Measuring nominal scale agreement among many raters".
"""

from __future__ import annotations

import numpy as np

from auscult.agreement.ratings import Floats, Ratings
from auscult.agreement.resampling import divided, in_steps, measured
from auscult.agreement.similarity import in_common
from auscult.core import Metric

_SAME = "every annotator assigned the same category to every unit, so agreement by chance is 1"
_NO_UNIT = "no unit was annotated by two annotators"


def fleiss_kappa(ratings: Ratings, *, times: int = 0, seed: int = 0) -> Metric:
    """Fleiss' κ with the whole set of codes of a unit as its category.

    The standard worked example: ten units, fourteen annotators, five categories:

    >>> counts = ["0000e", "02642", "00356", "03920", "22811",
    ...           "77000", "32630", "25322", "65210", "02237"]    # e is fourteen
    >>> units = [[c for c, n in zip("vwxyz", row) for _ in range(int(n, 16))] for row in counts]
    >>> print(fleiss_kappa(Ratings.of(units)))
    fleiss_kappa = 0.210
    """
    ratings = ratings.shared()
    annotators = ratings.seen.sum(axis=1)
    differing = np.zeros(len(ratings.sets))
    for one, other in ratings.pairs():
        both = ratings.seen[:, one] & ratings.seen[:, other]
        split = both & (ratings.sets[:, one] != ratings.sets[:, other])
        differing += 2 * split / (annotators * (annotators - 1))
    apart = ratings.by_chart(differing)
    units = ratings.by_chart(np.ones(len(ratings.sets)))
    given = ratings.sets_by_chart()

    def statistic(weights: Floats) -> Floats:
        counts = (given.T @ weights.T).T  # (draws, sets)
        shares = divided(counts, counts.sum(axis=1, keepdims=True))
        return kappa(divided(weights @ apart, weights @ units), (shares**2).sum(axis=1))

    return measured(
        "fleiss_kappa",
        "(P − P_e) / (1 − P_e) over units, with the whole set of codes as the category",
        in_steps(statistic, given.shape[1]),
        ratings.charts,
        why=_SAME if len(ratings.sets) else _NO_UNIT,
        n=ratings.units,
        times=times,
        seed=seed,
    )


def fleiss_kappa_pooled(ratings: Ratings, *, times: int = 0, seed: int = 0) -> Metric:
    """Fleiss' κ over all pairs of unit and code: assigned or not.

    The codes are all that any annotator assigned to any unit. Most pairs are assigned by nobody, so
    P and P_e are both near 1, and κ depends on the few pairs that are assigned.

    >>> print(fleiss_kappa_pooled(Ratings.of([("AB", "A"), ("B", "B"), ("A", "AB")])))
    fleiss_kappa_pooled = 0.250
    """
    ratings = ratings.shared()
    annotators = ratings.seen.sum(axis=1).astype(np.float64)
    codes = len(ratings.codes)
    split = np.zeros(len(ratings.sets))
    yes = np.zeros(len(ratings.sets))
    sizes = ratings.sizes
    for at in range(len(ratings.annotators)):
        yes += np.where(ratings.seen[:, at], sizes[ratings.sets[:, at]], 0)
    for one, other in ratings.pairs():
        both = ratings.seen[:, one] & ratings.seen[:, other]
        a, b = ratings.sets[both, one], ratings.sets[both, other]
        split[both] += sizes[a] + sizes[b] - 2 * in_common(ratings, a, b)
    apart = ratings.by_chart(2 * split / (annotators * (annotators - 1)))
    cells = ratings.by_chart(np.full(len(ratings.sets), float(codes)))
    given, asked = ratings.by_chart(yes), ratings.by_chart(annotators * codes)

    def statistic(weights: Floats) -> Floats:
        share = divided(weights @ given, weights @ asked)
        return kappa(divided(weights @ apart, weights @ cells), share**2 + (1 - share) ** 2)

    return measured(
        "fleiss_kappa_pooled",
        "(P − P_e) / (1 − P_e) over all pairs of unit and code: assigned or not",
        statistic,
        ratings.charts,
        why=_SAME if len(ratings.sets) else _NO_UNIT,
        n=ratings.units * codes,
        times=times,
        seed=seed,
    )


def kappa(apart: Floats, by_chance: Floats) -> Floats:
    """1 − (1 − P) / (1 − P_e) as a column, NaN where chance agrees on everything.

    Written from 1 − P, the share of pairs that differ, perfect agreement is exactly 1.
    """
    left = 1 - by_chance
    return (1 - divided(apart, np.where(np.abs(left) < 1e-12, 0.0, left)))[:, None]
