"""Each coder against a reference such as the majority: F1 and what errors cost.

The cost-sensitive score of a note is 1 − (β|M| + γ|F|) / |Y ∪ P|, with M the codes missed and F
those given in excess. Coding too much is three times as bad as coding too little: γ = 1, β = 0.33.
A note where neither has a code scores 1.

Pestian et al. 2007, section 3 and Table 3, after Boutell et al. 2003.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from auscult.agreement.measuring import divided, measured, ratio
from auscult.agreement.ratings import Floats, Ratings
from auscult.agreement.said import Seen, said
from auscult.agreement.similarity import in_common
from auscult.agreement.units import Unit, ratings_by
from auscult.core import Measure
from auscult.corpus import Corpus

UNDER, OVER = 0.33, 1.0
"""β and γ: what a missed code and a code too many cost."""


def against(
    corpus: Corpus,
    reference: str,
    annotators: Sequence[str],
    *,
    unit: Unit = Unit.NOTE,
    seen: Seen = Seen.ANNOTATED,
    times: int = 1000,
    seed: int = 0,
) -> dict[str, dict[str, Measure]]:
    """The scores of each annotator against the reference, over the units that somebody annotated.

    A unit for which the reference has no code counts as well: all codes given there are too many.
    """
    found = said(corpus, [*annotators, reference], seen=seen, always=reference)
    judged = ratings_by(found, unit, blank=False)
    last = len(annotators)
    return {
        name: scores(judged.pair(last, at), times=times, seed=seed)
        for at, name in enumerate(annotators)
    }


def scores(ratings: Ratings, *, times: int = 0, seed: int = 0) -> dict[str, Measure]:
    """Cost-sensitive score, micro-F1 and macro-F1 of the second of two coders against the first.

    >>> found = scores(Ratings.of([("A", "A"), ("AB", "A"), ("B", "BC"), ("C", "C")]))
    >>> for measure in found.values():
    ...     print(measure)
    cost_sensitive = 0.834
    micro_f1 = 0.800
    macro_f1_as_mean_of_code_f1_over_gold_codes = 0.778
    macro_f1_as_mean_of_code_f1_over_all_codes = 0.778
    macro_f1_from_macro_precision_and_recall_where_defined = 0.833
    """
    ratings = ratings.shared()
    sizes = ratings.sizes.astype(np.float64)
    gold, given = ratings.sets[:, 0], ratings.sets[:, 1]
    shared = in_common(ratings, gold, given)
    union = sizes[gold] + sizes[given] - shared
    lost = UNDER * (sizes[gold] - shared) + OVER * (sizes[given] - shared)
    cost = 1 - np.nan_to_num(divided(lost, union))
    options = {"n": ratings.units, "times": times, "seed": seed}
    ones = np.ones(len(ratings.sets))
    listed = [
        measured(
            "cost_sensitive",
            f"mean over units of 1 − ({UNDER} |missed| + {OVER:g} |too many|) / |either|",
            ratio(ratings.by_chart(cost), ratings.by_chart(ones)),
            ratings.charts,
            why="there are no units",
            **options,
        ),
        measured(
            "micro_f1",
            "2TP / (2TP + FP + FN) over all pairs of unit and code",
            ratio(ratings.by_chart(2 * shared), ratings.by_chart(sizes[gold] + sizes[given])),
            ratings.charts,
            why="neither side has a code",
            **options,
        ),
    ]
    listed += _macro(_by_code(ratings))
    return {measure.name: measure for measure in listed}


def _macro(by_code: Floats) -> list[Measure]:
    """The numbers that are called macro-F1, from how often gold, the coder and both gave a code."""
    in_gold = by_code[by_code[:, 0] > 0]
    in_either = by_code[by_code[:, 0] + by_code[:, 1] > 0]

    def f1(among: Floats) -> float | None:
        return float((2 * among[:, 2] / among[:, :2].sum(axis=1)).mean()) if len(among) else None

    def harmonic() -> float | None:
        gold, given, both = in_gold.T
        if not len(in_gold) or not (given > 0).any():
            return None
        precision = (both[given > 0] / given[given > 0]).mean()
        recall = (both / gold).mean()
        return float(2 * precision * recall / (precision + recall)) if both.any() else 0.0

    rows = (
        ("as_mean_of_code_f1_over_gold_codes", "mean of the codes' F1 over gold's codes",
         f1(in_gold), in_gold),
        ("as_mean_of_code_f1_over_all_codes", "mean of the codes' F1 over the codes of either",
         f1(in_either), in_either),
        ("from_macro_precision_and_recall_where_defined",
         "harmonic mean of the codes' mean precision, over gold's codes that were given, and mean "
         "recall, over gold's codes", harmonic(), in_gold),
    )  # fmt: skip
    return [
        Measure(
            f"macro_f1_{name}",
            definition,
            value,
            n=len(among),
            undefined="there are no codes to average over" if value is None else None,
        )
        for name, definition, value, among in rows
    ]


def _by_code(ratings: Ratings) -> Floats:
    """Of each code, how often the first, the second, and both gave it."""
    members, copies = ratings.members, ratings.copies.astype(np.float64)
    width = max(1, members.shape[0])
    pairs, back = np.unique(ratings.sets[:, 0] * width + ratings.sets[:, 1], return_inverse=True)
    number = np.bincount(back, weights=copies, minlength=len(pairs))
    first, second = members[pairs // width], members[pairs % width]
    columns = (first.T @ number, second.T @ number, first.multiply(second).T @ number)
    return np.stack([np.asarray(column) for column in columns], axis=1)
