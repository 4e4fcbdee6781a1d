"""Custom metrics: functions of gold and predictions, written by users and other packages.

Such a function has a docstring, which is its definition. It takes the two sides and returns two
numbers for each of `sides.chart_ids`; the metric is the sum of the first over the sum of the
second. This covers means over charts (the second is 1, or 0 where a chart does not count) and micro
ratios, and is all that intervals and paired comparisons need. A metric that is no ratio of two sums
can be passed to `auscult.statistics.bootstrap` as a statistic of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from auscult.core import AuscultError, Metric
from auscult.core.metric_definition import MetricDefinition
from auscult.evaluate.sides import Sides
from auscult.statistics import bootstrap
from auscult.statistics.bootstrap import Floats, Statistic
from auscult.statistics.significance import Comparison, compare, require_same_charts

SidesMetric = Callable[[Sides], tuple[ArrayLike, ArrayLike]]
GUIDE = "See auscult.evaluate.metrics.from_sides for what a metric needs."


@dataclass(frozen=True, slots=True)
class ChartSums:
    """The values of a metric for every chart, as (charts × 2), or why it failed."""

    definition: MetricDefinition
    sums: Floats | None = field(repr=False)
    failure: str = ""

    def statistic(self) -> Statistic:
        """The sum of the first column over the sum of the second."""
        assert self.sums is not None  # who asks has looked
        return _ratio_of_sums(self.sums)

    def metric(self, charts: int, *, times: int, seed: int) -> Metric:
        """The value, with an interval from `times` resamples of the charts."""
        if self.sums is None:
            return self.definition.without(self.failure)
        statistic = self.statistic()
        value = float(bootstrap.point(statistic, charts)[0])
        begin, end = bootstrap.intervals(statistic, charts, times=times, seed=seed)[0]
        return self.definition.metric(value, (float(begin), float(end)), charts)


def defined(name: str, how: SidesMetric) -> MetricDefinition:
    """The definition of a function: the first paragraph of its docstring, on one line."""
    definition = " ".join((inspect.getdoc(how) or "").split("\n\n")[0].split())
    return MetricDefinition(name, definition, name.replace("_", " "))


def chart_sums(how: SidesMetric, sides: Sides, name: str) -> ChartSums:
    """The two numbers of every chart; an error if the function returns something else."""
    charts = len(sides.chart_ids)
    try:
        over, under = how(sides)
        sums = np.stack([np.asarray(over, np.float64), np.asarray(under, np.float64)], axis=1)
    except (TypeError, ValueError) as error:
        raise AuscultError(
            f"The metric {name} did not return two numbers for each chart "
            f"({type(error).__name__}). {GUIDE}"
        ) from error
    if sums.shape != (charts, 2) or not np.isfinite(sums).all():
        raise AuscultError(
            f"The metric {name} must return two finite numbers for each of the {charts:,} "
            f"charts; it returned {len(sums):,} pairs. {GUIDE}"
        )
    return ChartSums(defined(name, how), sums)


def metric(
    how: SidesMetric, sides: Sides, *, name: str | None = None, times: int = 1000, seed: int = 0
) -> Metric:
    """The value of a metric, with an interval from `times` resamples of the charts.

    >>> from auscult.core import Annotation, Code
    >>> from auscult.corpus import Corpus
    >>> from auscult.evaluate.sides import pair
    >>> def corpus(who, *values):
    ...     return Corpus.of([], [Annotation(who, Code("CPT", v), "chart") for v in values])
    >>> def codes_a_chart(sides):
    ...     '''Codes that a chart is given, on average.'''
    ...     given = sides.predicted.annotations["chart_id"].to_list()
    ...     return [given.count(c) for c in sides.chart_ids], [1 for _ in sides.chart_ids]
    >>> print(metric(codes_a_chart, pair(corpus("gold", "1"), corpus("model", "1", "2"))))
    codes_a_chart = 2.000
    """
    found = chart_sums(how, sides, name or how.__name__)
    return found.metric(len(sides.chart_ids), times=times, seed=seed)


def compare_metric(
    how: SidesMetric,
    first: Sides,
    second: Sides,
    *,
    name: str | None = None,
    times: int = 1000,
    seed: int = 0,
) -> Comparison:
    """Compare two models on the same charts, by a custom metric."""
    require_same_charts(first.chart_ids, second.chart_ids)
    called = name or how.__name__
    both = [chart_sums(how, sides, called) for sides in (first, second)]
    [found] = compare_sums(*both, charts=len(first.chart_ids), times=times, seed=seed)
    return found


def compare_sums(
    first: ChartSums, second: ChartSums, *, charts: int, times: int, seed: int
) -> list[Comparison]:
    """Compare two models by a metric; an empty list if it failed for either."""
    if first.sums is None or second.sums is None:
        return []
    statistic = _ratio_of_sums(np.concatenate([first.sums, second.sums]))
    return compare(statistic, [first.definition.name], charts, times=times, seed=seed)


def _ratio_of_sums(sums: Floats) -> Statistic:
    def statistic(weights: Floats) -> Floats:
        over, under = (weights @ sums).T
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = np.where(under == 0, np.nan, over / under)[:, None]
        return found

    return statistic
