"""Cohen's κ: chance-corrected agreement of two annotators, with each annotator's own marginals.

κ = (P − P_e) / (1 − P_e). P is the share of units with the same category, P_e the sum over
categories of the product of the two annotators' shares.

Cohen 1960, "A coefficient of agreement for nominal scales".
"""

from __future__ import annotations

import numpy as np

from auscult.agreement.fleiss import kappa
from auscult.agreement.ratings import Floats, Ratings
from auscult.agreement.resampling import divided, in_steps, measured
from auscult.agreement.similarity import in_common
from auscult.core import Metric, OptionError

_SAME = "both annotators assigned the same category to every unit, so agreement by chance is 1"
_NO_UNIT = "the two annotators have no unit in common"


def cohen_kappa(ratings: Ratings, *, times: int = 0, seed: int = 0) -> Metric:
    """Cohen's κ with the whole set of codes of a unit as its category.

    Two readers of fifty applications: 20 yes by both, 15 no by both, 5 and 10 by one only:

    >>> units = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    >>> print(cohen_kappa(Ratings.of(units)))
    cohen_kappa = 0.400
    """
    ratings = _two(ratings)
    apart = ratings.by_chart(np.asarray(ratings.sets[:, 0] != ratings.sets[:, 1], np.float64))
    units = ratings.by_chart(np.ones(len(ratings.sets)))
    one, other = ratings.sets_by_chart(0), ratings.sets_by_chart(1)

    def statistic(weights: Floats) -> Floats:
        number = weights @ units
        by_chance = ((one.T @ weights.T) * (other.T @ weights.T)).sum(axis=0)
        return kappa(divided(weights @ apart, number), divided(by_chance, number**2))

    return measured(
        "cohen_kappa",
        "(P − P_e) / (1 − P_e) over units, with the whole set of codes as the category",
        in_steps(statistic, one.shape[1]),
        ratings.charts,
        why=_SAME if len(ratings.sets) else _NO_UNIT,
        n=ratings.units,
        times=times,
        seed=seed,
    )


def cohen_kappa_pooled(ratings: Ratings, *, times: int = 0, seed: int = 0) -> Metric:
    """Cohen's κ over all pairs of unit and code: assigned or not.

    The codes are all that any annotator of the study assigned, inside or outside the pair.

    >>> print(cohen_kappa_pooled(Ratings.of([("AB", "A"), ("B", "B"), ("A", "AB")])))
    cohen_kappa_pooled = 0.250
    """
    ratings = _two(ratings)
    codes = len(ratings.codes)
    sizes = ratings.sizes.astype(np.float64)
    first, second = sizes[ratings.sets[:, 0]], sizes[ratings.sets[:, 1]]
    shared = in_common(ratings, ratings.sets[:, 0], ratings.sets[:, 1])
    apart = ratings.by_chart(first + second - 2 * shared)
    one, other = ratings.by_chart(first), ratings.by_chart(second)
    cells = ratings.by_chart(np.full(len(ratings.sets), float(codes)))

    def statistic(weights: Floats) -> Floats:
        number = weights @ cells
        a, b = divided(weights @ one, number), divided(weights @ other, number)
        return kappa(divided(weights @ apart, number), a * b + (1 - a) * (1 - b))

    return measured(
        "cohen_kappa_pooled",
        "(P − P_e) / (1 − P_e) over all pairs of unit and code: assigned or not",
        statistic,
        ratings.charts,
        why=_SAME if len(ratings.sets) else _NO_UNIT,
        n=ratings.units * codes,
        times=times,
        seed=seed,
    )


def _two(ratings: Ratings) -> Ratings:
    if len(ratings.annotators) != 2:
        raise OptionError(
            f"Cohen's κ is defined for two annotators; got {len(ratings.annotators)}. Use Fleiss' "
            "κ."
        )
    return ratings.pair(0, 1)
