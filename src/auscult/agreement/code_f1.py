"""F1 between annotators: the codes they share, with either annotator as the reference.

F1 = 2C / (2C + A + B), pooled over units and symmetric in the two annotators. With more than two
annotators every pair counts. For a single code it is Fleiss' specific agreement. F1 is not
corrected for chance, and with many codes need not be: as the number of unassigned codes grows, κ
over pairs of unit and code approaches F1.

Hripcsak and Rothschild 2005, "Agreement, the F-measure, and reliability in information retrieval".
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from auscult.agreement.ratings import Floats, Ratings
from auscult.agreement.resampling import measured, ratio
from auscult.agreement.similarity import in_common
from auscult.core import Metric


def code_f1(ratings: Ratings, *, times: int = 0, seed: int = 0) -> Metric:
    """F1 of one annotator's codes against another's, over all pairs of annotators.

    >>> print(code_f1(Ratings.of([("AB", "A"), ("CDEF", "C"), ("", "")])))
    code_f1 = 0.500
    """
    ratings = ratings.shared()
    sizes = ratings.sizes.astype(np.float64)
    shared, said = np.zeros(len(ratings.sets)), np.zeros(len(ratings.sets))
    for one, other in ratings.pairs():
        both = ratings.seen[:, one] & ratings.seen[:, other]
        a, b = ratings.sets[both, one], ratings.sets[both, other]
        shared[both] += 2 * in_common(ratings, a, b)
        said[both] += sizes[a] + sizes[b]
    return measured(
        "code_f1",
        "2 Σ |A ∩ B| / Σ (|A| + |B|) over units and pairs of annotators",
        ratio(ratings.by_chart(shared), ratings.by_chart(said)),
        ratings.charts,
        why="no two annotators have a common unit to which one of them assigned a code",
        n=ratings.units,
        times=times,
        seed=seed,
    )


def by_code(ratings: Ratings) -> tuple[Floats, Floats, Floats]:
    """Of each code: how many units each annotator gave it (codes × annotators), how many units two
    annotators both gave it, and how often one of two gave it (once for each annotator of each
    pair).

    The second, doubled, over the third is the F1 of the code.
    """
    annotators = range(len(ratings.annotators))
    given = np.stack([_in_all(given_by_chart(ratings, at)) for at in annotators], axis=1)
    shared, said = np.zeros(len(ratings.codes)), np.zeros(len(ratings.codes))
    for one, other in ratings.pairs():
        two = ratings.pair(one, other)
        shared += _in_all(shared_by_chart(two))
        said += _in_all(given_by_chart(two, 0)) + _in_all(given_by_chart(two, 1))
    return given, shared, said


def given_by_chart(ratings: Ratings, annotator: int) -> csr_array:
    """How many units of each chart an annotator gave each code (charts × codes)."""
    return ratings.sets_by_chart(annotator) @ ratings.members


def shared_by_chart(two: Ratings) -> csr_array:
    """How many units of each chart both of two annotators gave each code (charts × codes)."""
    members = two.members
    width = max(1, members.shape[0])
    pairs, back = np.unique(two.sets[:, 0] * width + two.sets[:, 1], return_inverse=True)
    shape = (two.charts, len(pairs))
    units = csr_array((two.copies.astype(np.float64), (two.chart, back)), shape=shape)
    return units @ members[pairs // width].multiply(members[pairs % width])


def _in_all(by_chart: csr_array) -> Floats:
    return np.asarray(by_chart.sum(axis=0), dtype=np.float64).ravel()
