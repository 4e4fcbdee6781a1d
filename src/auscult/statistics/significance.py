"""Significance tests between two models on the same charts.

Two results: the interval of the difference, from resamples in which both models get the same charts
(paired bootstrap), and the probability of a difference at least as large if the models were
exchangeable (paired approximate randomization, two-sided).

Noreen 1989, "Computer-Intensive Methods for Testing Hypotheses"; Yeh 2000, "More accurate tests
for the statistical significance of result differences".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from auscult.core import Metric, OptionError
from auscult.core.results import MetricRow, Result
from auscult.statistics import bootstrap
from auscult.statistics.bootstrap import Floats, Statistic

# Counts are whole numbers, but a sum of ratios may differ in its last bit between two orders.
_EQUAL = 1e-12


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Result):
    """One metric of two models: the difference is the first's value minus the second's."""

    name: str
    first: float | None
    second: float | None
    difference: Metric
    p_value: Metric

    def metric_rows(self) -> Iterator[MetricRow]:
        """The two values, their difference with its interval, and its p-value."""
        of, undefined = {"metric": self.name}, self.difference.undefined
        for side, value in (("first", self.first), ("second", self.second)):
            why = None if value is not None else undefined or "it is undefined"
            yield of, Metric(side, f"{self.name} of the {side} model", value, undefined=why)
        yield of, replace(self.difference, name="difference")
        yield of, self.p_value

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
    """Raise an error unless both models were evaluated on the same charts in the same order."""
    if tuple(first) != tuple(second):
        raise OptionError(
            "Two models can only be compared on the same charts; these results are of "
            f"{len(first):,} and {len(second):,} charts, which differ. Evaluate both with "
            "the same gold and options."
        )


def compare(
    statistic: Statistic, names: Sequence[str], charts: int, *, times: int = 1000, seed: int = 0
) -> list[Comparison]:
    """Compare two models on `charts` charts.

    `statistic` is of weights over twice as many charts: the first model's, then the second's.
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
        centered = bootstrap.moved(np.concatenate(differences), first - second)
        edges = bootstrap.percentiles(centered)
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
        why = f"{name} of the {' and of the '.join(missing)} model is undefined"
        difference = Metric(f"{name}_difference", f"first − second, {shared}", undefined=why)
    else:
        interval = None if np.isnan(edges).any() else (float(edges[0]), float(edges[1]))
        difference = Metric(
            f"{name}_difference", f"first − second, {shared}", first - second, interval
        )
    why_not = "the difference is undefined" if missing else ""
    if larger < 0:
        why_not = "it needs at least two charts and one shuffle"
    definition = f"approximate randomization of {times:,} shuffles, two-sided, {shared}"
    return Comparison(
        name,
        None if np.isnan(first) else first,
        None if np.isnan(second) else second,
        difference,
        Metric("p_value", definition, undefined=why_not)
        if why_not
        else Metric("p_value", definition, (larger + 1) / (times + 1)),
    )
