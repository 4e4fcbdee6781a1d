"""Evaluation of codes by every metric, with gold and predictions as sets of codes per chart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auscult.core import Code, Metric
from auscult.core.plurals import counted
from auscult.core.results import MetricRow, Result
from auscult.evaluate import groups
from auscult.evaluate.matching import (
    MatchMetrics,
    match_metrics,
    ratio_definitions,
    ratio_statistic,
    ratios,
)
from auscult.evaluate.metrics import registry, top_ranked
from auscult.evaluate.metrics.computing import compute, resamples
from auscult.evaluate.metrics.contract import MetricFamily
from auscult.evaluate.metrics.from_sides import ChartSums, SidesMetric, compare_sums
from auscult.evaluate.outcomes import Outcomes, joined, outcomes
from auscult.evaluate.sides import Sides
from auscult.statistics.cost_sensitive import PAPER, Costs
from auscult.statistics.significance import Comparison, compare, require_same_charts


@dataclass(frozen=True, slots=True, repr=False)
class CodesResult(Result):
    """The results of `evaluate_codes`: every metric by name, and P/R/F1 of groups of codes."""

    metrics: Mapping[str, Metric]
    micro: MatchMetrics
    by_band: Mapping[str, MatchMetrics]
    by_chapter: Mapping[str, MatchMetrics]
    codes_in: Mapping[str, int] = field(repr=False)
    """How many codes of the label space each band and chapter has."""
    outcomes: Outcomes = field(repr=False)
    also: Mapping[str, ChartSums] = field(default_factory=dict, repr=False)
    """The values per chart of plug-in metrics and of the caller's own."""

    def per_chart(self) -> pl.DataFrame:
        """Counts and values of every chart; null where one is undefined."""
        counts = self.micro.per_chart
        columns = {
            "chart_id": pl.Series(self.outcomes.chart_ids, dtype=pl.String),
            **{name: pl.Series(counts[:, at]) for at, name in enumerate(("tp", "fp", "fn"))},
            **{
                name: pl.Series(v)
                for name, v in zip(
                    ("precision", "recall", "f1"), ratios(counts.astype(np.float64)).T, strict=True
                )
            },
        }
        if self.outcomes.no_ranking is None:
            top = top_ranked.top_of_charts(self.outcomes)
            names = [one.name for one in top_ranked.METRICS]
            columns |= {n: pl.Series(v) for n, v in zip(names, top.T, strict=True)}
        return pl.DataFrame(columns).fill_nan(None)

    def metric_rows(self) -> Iterator[MetricRow]:
        """Every metric; then precision, recall and F1 by band and by chapter of codes."""
        for metric in self.metrics.values():
            yield {}, metric
        for band, found in self.by_band.items():
            yield from found.metric_rows(band=band)
        for chapter, found in self.by_chapter.items():
            yield from found.metric_rows(chapter=chapter)

    def headline(self) -> str:
        """How many charts, and how many codes there are to choose from."""
        charts, codes = self.outcomes.charts, len(self.outcomes.codes)
        return f"{counted(charts, 'chart')}, {counted(codes, 'code')}"

    def to_dict(self) -> dict[str, object]:
        """For JSON: the value of each metric by its name, with definitions and intervals."""
        counts = self.micro.counts
        assert counts is not None  # codes can always be counted
        return {
            **{name: metric.value for name, metric in self.metrics.items()},
            "tp": counts.tp,
            "fp": counts.fp,
            "fn": counts.fn,
            "intervals": {
                name: m.interval for name, m in self.metrics.items() if m.interval is not None
            },
            "undefined": {
                name: m.undefined for name, m in self.metrics.items() if m.undefined is not None
            },
            "definitions": {name: m.definition for name, m in self.metrics.items()},
            "by_band": self._dicts(self.by_band),
            "by_chapter": self._dicts(self.by_chapter),
            "charts": self.outcomes.charts,
            "codes": len(self.outcomes.codes),
        }

    def _dicts(self, found: Mapping[str, MatchMetrics]) -> dict[str, object]:
        return {
            name: {**one.to_dict(), "codes": self.codes_in[name]} for name, one in found.items()
        }


def code_metrics(
    sides: Sides,
    *,
    seen: Mapping[Code, int] | None = None,
    costs: Costs = PAPER,
    metrics: Mapping[str, SidesMetric] | None = None,
    times: int = 1000,
    seed: int = 0,
) -> CodesResult:
    """Evaluate predicted codes by every metric, with bootstrap intervals over charts.

    `times` is the number of resamples. `seen` gives the number of training charts of each code: its
    codes join the label space, and the metrics are also given by training frequency. `metrics` are
    functions of your own, by name (`evaluate/metrics/from_sides.py`); those of installed packages
    are always included.

    >>> from auscult.core import Annotation
    >>> from auscult.corpus import Corpus
    >>> from auscult.evaluate.sides import pair
    >>> def codes_of(who, *values):
    ...     return Corpus.of([], [Annotation(who, Code("CPT", v), "chart") for v in values])
    >>> found = code_metrics(pair(codes_of("gold", "1", "2"), codes_of("model", "2", "3", "4")))
    >>> print(found.metrics["micro_f1"], found.micro.counts)
    micro_f1 = 0.400 Counts(tp=1, fp=2, fn=1)
    """
    found = outcomes(sides, seen.keys() if seen is not None else ())
    bands = {} if seen is None else groups.by_band(found, seen)
    chapters = groups.by_chapter(found)
    among = {
        **{f"band {name}": chosen for name, chosen in bands.items()},
        **{f"chapter {name}": chosen for name, chosen in chapters.items()},
    }
    tables = {name: found.counts_by_chart(chosen) for name, chosen in among.items()}
    own = metrics or {}
    registry.require_new([*own])
    also = {**registry.plugin_sums(sides), **registry.sums_of(own, sides)}
    # Groups are a family like the others, so that the charts are drawn once for everything.
    families = registry.families(costs)
    every = compute((*families, _grouped(tables)), found, also, times=times, seed=seed)
    grouped = {name: _match_metrics(name, counts, every) for name, counts in tables.items()}
    of_groups = {one.name for name in tables for one in ratio_definitions(name)}
    return CodesResult(
        {name: metric for name, metric in every.items() if name not in of_groups},
        _match_metrics("micro", found.counts_by_chart(), every),
        {name: grouped[f"band {name}"] for name in bands},
        {name: grouped[f"chapter {name}"] for name in chapters},
        {name: int(chosen.sum()) for name, chosen in {**bands, **chapters}.items()},
        found,
        also,
    )


def _grouped(tables: Mapping[str, NDArray[np.int64]]) -> MetricFamily:
    """Precision, recall and F1 of every group of codes."""
    defined = tuple(one for name in tables for one in ratio_definitions(name))
    return MetricFamily(defined, lambda _: ratio_statistic(tables))


def _match_metrics(
    name: str, counts: NDArray[np.int64], computed: Mapping[str, Metric]
) -> MatchMetrics:
    metrics = [
        replace(computed[one.name], definition=one.definition) for one in ratio_definitions(name)
    ]
    return match_metrics(name, "the codes of each chart as sets", counts, metrics)


def compare_codes(
    first: CodesResult, second: CodesResult, *, times: int = 1000, seed: int = 0
) -> list[Comparison]:
    """Compare two models on the same charts, in the label space of both."""
    require_same_charts(first.outcomes.chart_ids, second.outcomes.chart_ids)
    both = joined(first.outcomes, second.outcomes)
    charts = first.outcomes.charts
    compared = []
    for family in registry.families():
        if family.needs.lacking(both) is None:
            names = [one.name for one in family.metrics]
            fewer = resamples(family, both, times)
            statistic = family.statistic(both)
            compared += compare(statistic, names, charts, times=fewer, seed=seed)
    for name, one in first.also.items():
        if name in second.also:
            other = second.also[name]
            compared += compare_sums(one, other, charts=charts, times=times, seed=seed)
    return compared
