"""F1 between coders: the codes they share, as if one were gold and the other a coder.

F1 = 2C / (2C + A + B) over the units together, which does not change when the two change places.
With more than two coders every pair counts. Of one code alone it is what Fleiss called specific
agreement. It makes no allowance for chance, and needs none where codes are many: as the number of
codes nobody gave grows, κ over pairs of unit and code goes to F1.

Hripcsak and Rothschild 2005, "Agreement, the F-measure, and reliability in information retrieval".
"""

from __future__ import annotations

import numpy as np

from auscult.agreement.measuring import measured, ratio
from auscult.agreement.ratings import Floats, Ratings
from auscult.agreement.similarity import in_common
from auscult.core import Measure


def code_f1(ratings: Ratings, *, times: int = 0, seed: int = 0) -> Measure:
    """F1 of the codes of one coder against another's, over all pairs of coders.

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
        "2 Σ |A ∩ B| / Σ (|A| + |B|) over units",
        ratio(ratings.by_chart(shared), ratings.by_chart(said)),
        ratings.charts,
        why="no two coders have a unit in common that one of them gave a code",
        n=ratings.units,
        times=times,
        seed=seed,
    )


def by_code(ratings: Ratings) -> tuple[Floats, Floats, Floats]:
    """Of each code: how many units each coder gave it (codes × coders), how many units two coders
    both gave it, and how often one of two gave it (once for each coder of each pair).

    The second, doubled, over the third is the F1 of the code.
    """
    given = np.zeros((len(ratings.codes), len(ratings.coders)))
    shared, said = np.zeros(len(ratings.codes)), np.zeros(len(ratings.codes))
    weights = ratings.copies.astype(np.float64)
    members = ratings.members

    def count(which: Floats, sets: Floats) -> Floats:
        per_set = np.bincount(sets, weights=which, minlength=members.shape[0])
        return np.asarray(members.T @ per_set)

    for at in range(len(ratings.coders)):
        there = ratings.seen[:, at]
        given[:, at] = count(weights[there], ratings.sets[there, at])
    for one, other in ratings.pairs():
        both = ratings.seen[:, one] & ratings.seen[:, other]
        a, b = ratings.sets[both, one], ratings.sets[both, other]
        said += count(weights[both], a) + count(weights[both], b)
        width = max(1, members.shape[0])
        pairs, back = np.unique(a * width + b, return_inverse=True)
        number = np.bincount(back, weights=weights[both], minlength=len(pairs))
        shared += members[pairs // width].multiply(members[pairs % width]).T @ number
    return given, shared, said
