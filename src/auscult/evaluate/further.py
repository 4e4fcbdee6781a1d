"""Measures that are not built in: a function of the two sides, here or in another package.

A measure is a function with a docstring, which is its definition. It takes the two sides and gives
two numbers for each of `sides.chart_ids`; the measure is the sum of the first over the sum of the
second. That holds means over charts (the second is 1, or 0 where a chart does not count) and micro
ratios, and is all that intervals and paired comparisons need. What is no ratio of two sums can be
given to `auscult.statistics.bootstrap` as a statistic of its own.

Packages offer theirs by entry points of the group `auscult.measures`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from auscult.core import AuscultError, Measure, PluginError, plugins
from auscult.core.names import require_known
from auscult.evaluate.sides import Sides
from auscult.statistics import bootstrap
from auscult.statistics.bootstrap import Floats, Statistic
from auscult.statistics.significance import Comparison, compare, require_same_charts

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PLUGINS = "auscult.measures"
Measuring = Callable[[Sides], tuple[ArrayLike, ArrayLike]]
_GUIDE = "What a measure needs is in auscult.evaluate.further."


def names() -> tuple[str, ...]:
    """The measures that installed packages offer."""
    return tuple(plugins.offered(PLUGINS))


def load(name: str) -> Measuring:
    """A measure of another package."""
    offered: dict[str, EntryPoint] = plugins.offered(PLUGINS)
    require_known(name, offered, "measure of another package")
    found = plugins.load(offered[name])
    if not callable(found):
        raise PluginError(offered[name], f"is no function. {_GUIDE}")
    if not _definition(found):
        raise PluginError(offered[name], f"has no docstring, which is its definition. {_GUIDE}")
    return found


def measure(
    how: Measuring, sides: Sides, *, name: str | None = None, times: int = 1000, seed: int = 0
) -> Measure:
    """The value of a measure, with an interval from `times` resamples of the charts.

    >>> from auscult.core import Annotation, Code
    >>> from auscult.corpus import Corpus
    >>> from auscult.evaluate.sides import pair
    >>> def said(who, *values):
    ...     return Corpus.of([], [Annotation(who, Code("CPT", v), "chart") for v in values])
    >>> def codes_a_chart(sides):
    ...     '''Codes that a chart is given, on average.'''
    ...     given = sides.predicted.annotations.collect()["chart_id"].to_list()
    ...     return [given.count(c) for c in sides.chart_ids], [1 for _ in sides.chart_ids]
    >>> print(measure(codes_a_chart, pair(said("gold", "1"), said("coder", "1", "2"))))
    codes_a_chart = 2.000
    """
    called = name or how.__name__
    statistic, charts = _statistic(_sums(how, sides, called)), len(sides.chart_ids)
    value = float(bootstrap.point(statistic, charts)[0])
    definition = _definition(how) or called
    if np.isnan(value):
        return Measure(called, definition, n=charts, undefined="there is nothing to divide by")
    begin, end = bootstrap.intervals(statistic, charts, times=times, seed=seed)[0]
    interval = None if np.isnan(begin) else (float(begin), float(end))
    return Measure(called, definition, value, interval, charts)


def compare_measure(
    how: Measuring,
    first: Sides,
    second: Sides,
    *,
    name: str | None = None,
    times: int = 1000,
    seed: int = 0,
) -> Comparison:
    """Two coders on the same charts, by a measure."""
    require_same_charts(first.chart_ids, second.chart_ids)
    called = name or how.__name__
    sums = np.concatenate([_sums(how, sides, called) for sides in (first, second)])
    [found] = compare(_statistic(sums), [called], len(first.chart_ids), times=times, seed=seed)
    return found


def measures(
    wanted: Collection[str], sides: Sides, *, times: int = 1000, seed: int = 0
) -> dict[str, Measure]:
    """Measures of other packages, by name."""
    return {name: measure(load(name), sides, name=name, times=times, seed=seed) for name in wanted}


def compare_measures(
    wanted: Collection[str], first: Sides, second: Sides, *, times: int = 1000, seed: int = 0
) -> list[Comparison]:
    """Two coders on the same charts, by measures of other packages."""
    return [
        compare_measure(load(name), first, second, name=name, times=times, seed=seed)
        for name in wanted
    ]


def _sums(how: Measuring, sides: Sides, name: str) -> Floats:
    """What is above and below the line, for each chart."""
    charts = len(sides.chart_ids)
    try:
        over, under = how(sides)
        sums = np.stack([np.asarray(over, np.float64), np.asarray(under, np.float64)], axis=1)
    except (TypeError, ValueError) as error:
        raise AuscultError(
            f"The measure {name} did not give two numbers for each chart: {error}. {_GUIDE}"
        ) from error
    if sums.shape != (charts, 2) or not np.isfinite(sums).all():
        raise AuscultError(
            f"The measure {name} must give two finite numbers for each of the {charts:,} charts; "
            f"it gave {len(sums):,} pairs. {_GUIDE}"
        )
    return sums


def _statistic(sums: Floats) -> Statistic:
    def statistic(weights: Floats) -> Floats:
        over, under = (weights @ sums).T
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = np.where(under == 0, np.nan, over / under)[:, None]
        return found

    return statistic


def _definition(how: object) -> str:
    """The first paragraph of the docstring, on one line."""
    return " ".join((inspect.getdoc(how) or "").split("\n\n")[0].split())
