"""Krippendorff's α: chance-corrected inter-annotator agreement for any number of annotators.

α = 1 − D_o / D_e. D_o is the mean distance between two annotators' code sets of the same unit, D_e
that between any two code sets. It allows any number of annotators, and units that some did not
annotate.

Krippendorff 2004, "Content Analysis", 2nd ed., chapter 11; with MASI: Passonneau 2006, "Measuring
agreement on set-valued items (MASI) for semantic and pragmatic annotation".
"""

from __future__ import annotations

import numpy as np

from auscult.agreement import similarity
from auscult.agreement.chance import expected
from auscult.agreement.ratings import Floats, Ratings
from auscult.agreement.resampling import divided, in_steps, measured
from auscult.agreement.similarity import Distance
from auscult.core import Metric
from auscult.statistics.bootstrap import Statistic

_RESAMPLED = 1_000_000
"""Above so many pairs of sets with a common code, resamples keep the chance of the whole, as
Krippendorff's own do."""
_SAME = (
    "every annotator assigned the same set of codes to every unit, so the expected disagreement "
    "is 0"
)
_NO_UNIT = "no unit was annotated by two annotators"


def krippendorff_alpha(
    ratings: Ratings, distance: Distance = Distance.MASI, *, times: int = 0, seed: int = 0
) -> Metric:
    """Krippendorff's α over the units, for a distance between sets of codes.

    Krippendorff's own example, four annotators and twelve units with gaps, has a nominal α of
    0.743:

    >>> annotators = ["1 2 3 3 2 1 4 1 2 - - -", "1 2 3 3 2 2 4 1 2 5 - 3",
    ...           "- 3 3 3 2 3 4 2 2 5 1 -", "1 2 3 3 2 4 4 1 2 5 1 -"]
    >>> units = zip(*(row.split() for row in annotators), strict=True)
    >>> ratings = Ratings.of([[None if v == "-" else {v} for v in unit] for unit in units])
    >>> print(krippendorff_alpha(ratings, Distance.NOMINAL))
    alpha_nominal = 0.743
    """
    ratings = ratings.shared()
    name = f"alpha_{distance}"
    definition = f"1 − D_o / D_e, with {distance} distance between the code sets of a unit"
    return measured(
        name,
        definition,
        _statistic(ratings, distance),
        ratings.charts,
        why=_SAME if len(ratings.sets) else _NO_UNIT,
        n=ratings.units,
        times=times,
        seed=seed,
    )


def is_single_disagreement(ratings: Ratings) -> bool:
    """Whether all assigned code sets are the same except one.

    α is then 0 by definition, however many units agree: the one set that differs is all the
    variation there is, and no second annotator confirms it.

    >>> is_single_disagreement(Ratings.of([("", ""), ("", ""), ("A", "")]))
    True
    """
    given = np.asarray(ratings.shared().sets_by_chart().sum(axis=0)).ravel()
    return bool(given.sum() > 1 and given.sum() - given.max(initial=0) == 1)


def _statistic(ratings: Ratings, distance: Distance) -> Statistic:
    """α from the weights of charts."""
    observed = ratings.by_chart(disagreement(ratings, distance))
    given = ratings.sets_by_chart()
    in_chart = np.asarray(given.sum(axis=1), dtype=np.float64).ravel()
    if distance is not Distance.NOMINAL and similarity.cells(ratings) > _RESAMPLED:
        by_chance = expected(ratings, distance)

        def kept(weights: Floats) -> Floats:
            bottom = (weights @ in_chart) * by_chance
            return (1 - divided(weights @ observed, bottom))[:, None]

        return kept
    alike = similarity.table(ratings, distance)

    def statistic(weights: Floats) -> Floats:
        number = weights @ in_chart  # (draws)
        counts = (given.T @ weights.T).T  # (draws, sets)
        distances = number**2 - (counts * (alike @ counts.T).T).sum(axis=1)
        distances = np.where(distances <= 1e-12 * number**2, 0.0, distances)
        return (1 - divided((number - 1) * (weights @ observed), distances))[:, None]

    return in_steps(statistic, given.shape[1])


def disagreement(ratings: Ratings, distance: Distance) -> Floats:
    """Of each unit, the distances of its ordered pairs of annotators over their number less one."""
    annotators = ratings.seen.sum(axis=1)
    found = np.zeros(len(ratings.sets))
    for one, other in ratings.pairs():
        both = ratings.seen[:, one] & ratings.seen[:, other]
        alike = similarity.of_pairs(
            ratings, distance, ratings.sets[both, one], ratings.sets[both, other]
        )
        found[both] += 2 * (1 - alike) / (annotators[both] - 1)
    return found
