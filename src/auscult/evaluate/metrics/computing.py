"""Computes metrics with their intervals, all on the same resamples of the charts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from auscult.core import Metric
from auscult.core.metric_definition import MetricDefinition
from auscult.evaluate.metrics.contract import MetricFamily, Need
from auscult.evaluate.metrics.from_sides import ChartSums
from auscult.evaluate.outcomes import Outcomes
from auscult.statistics import bootstrap
from auscult.statistics.bootstrap import Floats, Statistic

# A whole ranking of a large label space is long; fewer resamples then, never fewer than this.
_RANKED_CELLS, _FEWEST = 100_000_000, 100


@dataclass(frozen=True, slots=True)
class _Part:
    """Some metrics with the statistic that gives them."""

    metrics: tuple[MetricDefinition, ...]
    statistic: Statistic
    n: int
    times: int
    is_centered: bool = False


def compute(
    families: Iterable[MetricFamily],
    outcomes: Outcomes,
    also: Mapping[str, ChartSums],
    *,
    times: int,
    seed: int,
) -> dict[str, Metric]:
    """Every metric of the families and of `also`, in their order."""
    found: dict[str, Metric] = {}
    parts: list[_Part] = []
    for family in families:
        why = family.needs.lacking(outcomes)
        # Undefined for now, so that the order is that of the families.
        found |= {one.name: one.without(why or one.undefined) for one in family.metrics}
        if why is None:
            n = len(outcomes.codes) if family.is_mean_over_codes else outcomes.charts
            parts.append(
                _Part(
                    family.metrics,
                    family.statistic(outcomes),
                    n,
                    resamples(family, outcomes, times),
                    family.is_mean_over_codes,
                )
            )
    for name, one in also.items():
        found[name] = one.definition.without(one.failure or one.definition.undefined)
        if one.sums is not None:
            parts.append(_Part((one.definition,), one.statistic(), outcomes.charts, times))
    for number in sorted({part.times for part in parts}):
        some = [part for part in parts if part.times == number]
        found |= _computed(some, outcomes.charts, number, seed)
    return found


def resamples(family: MetricFamily, outcomes: Outcomes, times: int) -> int:
    """The number of resamples: fewer for metrics that need the whole ranking each time."""
    if family.needs is not Need.FULL_RANKING:
        return times
    ranked = int((~np.isnan(outcomes.score)).sum())
    return min(times, max(_FEWEST, _RANKED_CELLS // max(ranked, 1)))


def _computed(parts: Sequence[_Part], charts: int, times: int, seed: int) -> dict[str, Metric]:
    """One pass over the resamples for all parts: drawing them takes longer than most metrics."""
    listed = [(one, part) for part in parts for one in part.metrics]
    centered = [at for at, (_, part) in enumerate(listed) if part.is_centered]

    def statistic(weights: Floats) -> Floats:
        return np.concatenate([part.statistic(weights) for part in parts], axis=1)

    values = bootstrap.point(statistic, charts)
    edges = bootstrap.intervals(statistic, charts, times=times, seed=seed, centered=centered)
    return {
        one.name: one.metric(float(value), (float(begin), float(end)), part.n)
        for (one, part), value, (begin, end) in zip(listed, values, edges, strict=True)
    }
