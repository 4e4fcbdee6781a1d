"""Score each annotator against a reference such as the majority: F1 and cost-sensitive score.

The cost-sensitive score is that of `statistics/cost_sensitive.py`, with the paper's costs.

Pestian et al. 2007, section 3 and Table 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.sparse import csr_array

from auscult.agreement.annotation_table import SeenCharts, annotations_of
from auscult.agreement.code_f1 import given_by_chart, shared_by_chart
from auscult.agreement.ratings import Bools, Floats, Ratings
from auscult.agreement.resampling import divided, forget, in_steps, measured, ratio
from auscult.agreement.similarity import in_common
from auscult.agreement.units import AgreementUnit, ratings_by
from auscult.core import Metric
from auscult.corpus import Corpus
from auscult.statistics.bootstrap import Statistic
from auscult.statistics.cost_sensitive import PAPER, cost_sensitive


def against(
    corpus: Corpus,
    reference: str,
    annotators: Sequence[str],
    *,
    unit: AgreementUnit = AgreementUnit.NOTE,
    seen: SeenCharts = SeenCharts.ANNOTATED,
    times: int = 1000,
    seed: int = 0,
) -> dict[str, dict[str, Metric]]:
    """The scores of each annotator against the reference, over all annotated units.

    A unit for which the reference has no code counts as well: all codes given there are too many.
    """
    found = annotations_of(corpus, [*annotators, reference], seen=seen, always=reference)
    judged = ratings_by(found, unit, blank=False)
    last = len(annotators)
    scored = {
        name: scores(judged.pair(last, at), times=times, seed=seed)
        for at, name in enumerate(annotators)
    }
    forget()
    return scored


def scores(ratings: Ratings, *, times: int = 0, seed: int = 0) -> dict[str, Metric]:
    """Cost-sensitive score, micro-F1 and macro-F1 of the second of two annotators against the
    first.

    >>> found = scores(Ratings.of([("A", "A"), ("AB", "A"), ("B", "BC"), ("C", "C")]))
    >>> for metric in found.values():
    ...     print(metric)
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
    cost = cost_sensitive(shared, sizes[given] - shared, sizes[gold] - shared)
    options = {"n": ratings.units, "times": times, "seed": seed}
    ones = np.ones(len(ratings.sets))
    listed = [
        measured(
            "cost_sensitive",
            PAPER.definition,
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
            why="neither annotator assigned a code",
            **options,
        ),
    ]
    listed += _macro(ratings, times, seed)
    return {metric.name: metric for metric in listed}


def _macro(two: Ratings, times: int, seed: int) -> list[Metric]:
    """The numbers that are called macro-F1, of the second of two annotators against the first."""
    tables = (given_by_chart(two, 0), given_by_chart(two, 1), shared_by_chart(two))
    gold, given, _ = (np.asarray(table.sum(axis=0)).ravel() for table in tables)
    in_gold, in_either = int((gold > 0).sum()), int((gold + given > 0).sum())
    rows = (
        ("as_mean_of_code_f1_over_gold_codes", "mean F1 over the gold codes",
         _mean_f1_over_gold, in_gold),
        ("as_mean_of_code_f1_over_all_codes", "mean F1 over the codes of either annotator",
         _mean_f1_over_either, in_either),
        ("from_macro_precision_and_recall_where_defined",
         "harmonic mean of the mean precision, over the gold codes that were assigned, and the "
         "mean recall, over the gold codes", _harmonic, in_gold),
    )  # fmt: skip
    return [
        measured(
            f"macro_f1_{name}",
            definition,
            in_steps(_of_codes(tables, macro), len(two.codes)),
            two.charts,
            why="there are no codes to average over",
            n=number,
            times=times,
            seed=seed,
            least=0.0,
        )
        for name, definition, macro, number in rows
    ]


def _of_codes(
    tables: Sequence[csr_array], macro: Callable[[Floats, Floats, Floats], Floats]
) -> Statistic:
    """A statistic of how often gold, the annotator and both gave each code (draws × codes each)."""

    def statistic(weights: Floats) -> Floats:
        gold, given, both = (np.asarray((table.T @ weights.T).T) for table in tables)
        return macro(gold, given, both)[:, None]

    return statistic


def _mean_f1_over_gold(gold: Floats, given: Floats, both: Floats) -> Floats:
    return _mean(divided(2 * both, gold + given), gold > 0)


def _mean_f1_over_either(gold: Floats, given: Floats, both: Floats) -> Floats:
    return _mean(divided(2 * both, gold + given), gold + given > 0)


def _harmonic(gold: Floats, given: Floats, both: Floats) -> Floats:
    precision = _mean(divided(both, given), (gold > 0) & (given > 0))
    recall = _mean(divided(both, gold), gold > 0)
    found = divided(2 * precision * recall, precision + recall)
    return np.where(precision + recall == 0, 0.0, found)


def _mean(values: Floats, which: Bools) -> Floats:
    """The mean of each row over the codes that count, NaN where none does."""
    return divided(np.where(which, values, 0.0).sum(axis=1), which.sum(axis=1).astype(np.float64))
