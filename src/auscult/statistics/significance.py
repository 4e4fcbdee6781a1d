"""Whether one coder is better than another, on the same charts.

Two answers: the interval of the difference, from resamples in which both coders get the same
charts (paired bootstrap), and the chance of a difference at least as large if it did not matter
which coder did which chart (paired approximate randomisation, two-sided).

Noreen 1989, "Computer-Intensive Methods for Testing Hypotheses"; Yeh 2000, "More accurate tests
for the statistical significance of result differences".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auscult.core import Measure, OptionError
from auscult.statistics import bootstrap
from auscult.statistics.bootstrap import Floats, Statistic

# Counts are whole numbers, but a sum of ratios may differ in its last bit between two orders.
_EQUAL = 1e-12


@dataclass(frozen=True, slots=True)
class Comparison:
    """One measure of two coders: the difference is the first's value minus the second's."""

    name: str
    first: float | None
    second: float | None
    difference: Measure
    p_value: Measure

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "difference": self.difference.value,
            "interval": self.difference.interval,
            "p_value": self.p_value.value,
            "undefined": self.difference.undefined,
        }


def require_same_charts(first: Sequence[str], second: Sequence[str]) -> None:
    """An error unless both coders were evaluated on the same charts in the same order."""
    if tuple(first) != tuple(second):
        raise OptionError(
            f"Two coders are compared on the same charts; here are {len(first):,} charts and "
            f"{len(second):,}, and they differ. Evaluate both with the same gold and options."
        )


def compare(
    statistic: Statistic, names: Sequence[str], charts: int, *, times: int = 1000, seed: int = 0
) -> list[Comparison]:
    """Compare two coders on `charts` charts.

    `statistic` is of weights over twice as many charts: the first coder's, then the second's.
    """
    ones = np.ones((1, charts))
    first, second = (_of(statistic, ones, which)[0] for which in (0, 1))
    if charts < 2 or times == 0:
        edges = np.full((len(names), 2), np.nan)
        larger = np.full(len(names), -1)
    else:
        differences = [
            _of(statistic, weights, 0) - _of(statistic, weights, 1)
            for weights in bootstrap.draws(charts, times, seed)
        ]
        # Moved, because resamples draw means over rare codes, and so their difference, down.
        centred = bootstrap.moved(np.concatenate(differences), first - second)
        edges = bootstrap.percentiles(centred)
        larger = np.zeros(len(names), dtype=np.int64)
        for swapped in bootstrap.swaps(charts, times, seed):
            shuffled = statistic(np.hstack([1 - swapped, swapped])) - statistic(
                np.hstack([swapped, 1 - swapped])
            )
            # A shuffle without a value counts against a difference, never for one.
            less = np.abs(shuffled) < np.abs(first - second) - _EQUAL
            larger += (~less).sum(axis=0)
    return [
        _comparison(name, float(first[at]), float(second[at]), edges[at], int(larger[at]), times)
        for at, name in enumerate(names)
    ]


def _of(statistic: Statistic, weights: Floats, which: int) -> Floats:
    none = np.zeros_like(weights)
    return statistic(np.hstack([none, weights] if which else [weights, none]))


def _comparison(
    name: str, first: float, second: float, edges: Floats, larger: int, times: int
) -> Comparison:
    shared = "paired over charts"
    missing = [side for side, v in (("first", first), ("second", second)) if np.isnan(v)]
    if missing:
        why = f"{name} of the {' and of the '.join(missing)} coder is undefined"
        difference = Measure(f"{name}_difference", f"first − second, {shared}", undefined=why)
    else:
        interval = None if np.isnan(edges).any() else (float(edges[0]), float(edges[1]))
        difference = Measure(
            f"{name}_difference", f"first − second, {shared}", first - second, interval
        )
    why_not = "there is no difference" if missing else ""
    if larger < 0:
        why_not = "it takes two charts and one shuffle at least"
    definition = f"approximate randomisation of {times:,} shuffles, two-sided, {shared}"
    return Comparison(
        name,
        None if np.isnan(first) else first,
        None if np.isnan(second) else second,
        difference,
        Measure("p_value", definition, undefined=why_not)
        if why_not
        else Measure("p_value", definition, (larger + 1) / (times + 1)),
    )
