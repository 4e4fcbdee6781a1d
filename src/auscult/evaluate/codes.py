"""How right the codes are. The codes of a chart are a set, on each side.

Two different numbers are called macro-F1 in this field, and each is taken over all codes or over
those that gold has. Their names here say which is which: never put two of them in one column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from auscult.core import Code, Measure
from auscult.evaluate import groups, ranking
from auscult.evaluate.costs import cost_by_chart
from auscult.evaluate.matched import Matched, measure_counts, ratio_statistic, ratios
from auscult.evaluate.outcomes import Bools, Outcomes, joined, outcomes
from auscult.evaluate.sides import Sides
from auscult.statistics import bootstrap
from auscult.statistics.bootstrap import Floats, Statistic
from auscult.statistics.cost_sensitive import PAPER, Costs
from auscult.statistics.significance import Comparison, compare, require_same_charts

_MICRO = {
    "micro_precision": "TP / (TP + FP) over all pairs of chart and code",
    "micro_recall": "TP / (TP + FN) over all pairs of chart and code",
    "micro_f1": "2TP / (2TP + FP + FN) over all pairs of chart and code",
}
_EXACT = {"exact_match_ratio": "share of charts whose set of codes is exactly gold's"}
_COST = "cost_sensitive"
_WHICH = {
    "all_codes": "all codes of the label space, 0 where there is nothing to divide by",
    "gold_codes": "codes that gold has on at least one chart, 0 where none was predicted",
}
_MACRO = {
    f"{name}_over_{which}": f"{definition}, over {among}"
    for which, among in _WHICH.items()
    for name, definition in {
        "macro_precision": "mean of the codes' precisions",
        "macro_recall": "mean of the codes' recalls",
        "macro_f1_as_mean_of_code_f1": "mean of the codes' F1",
        "macro_f1_from_macro_precision_and_recall": "harmonic mean of macro-precision and "
        "macro-recall (CAML's definition)",
    }.items()
}
_CELLS_AT_ONCE = 1_000_000
# A whole ranking of a large label space is long; fewer resamples then, never fewer than this.
_RANKED_CELLS, _FEWEST = 100_000_000, 100


@dataclass(frozen=True, slots=True)
class CodesResult:
    """Every measure of the codes by its full name, and micro P/R/F1 of groups of codes."""

    measures: Mapping[str, Measure]
    micro: Matched
    by_band: Mapping[str, Matched]
    by_chapter: Mapping[str, Matched]
    codes_in: Mapping[str, int] = field(repr=False)
    """How many codes of the label space each band and chapter has."""
    outcomes: Outcomes = field(repr=False)

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
            top = ranking.top_of_charts(self.outcomes)
            columns |= {n: pl.Series(v) for n, v in zip(ranking.AT_THE_TOP, top.T, strict=True)}
        return pl.DataFrame(columns).fill_nan(None)

    def to_dict(self) -> dict[str, object]:
        """For JSON: each measure's value by its name, and beside them what is said about it."""
        counts = self.micro.counts
        assert counts is not None  # codes can always be counted
        return {
            **{name: measure.value for name, measure in self.measures.items()},
            "tp": counts.tp,
            "fp": counts.fp,
            "fn": counts.fn,
            "intervals": {
                name: m.interval for name, m in self.measures.items() if m.interval is not None
            },
            "undefined": {
                name: m.undefined for name, m in self.measures.items() if m.undefined is not None
            },
            "definitions": {name: m.definition for name, m in self.measures.items()},
            "by_band": self._dicts(self.by_band),
            "by_chapter": self._dicts(self.by_chapter),
            "charts": self.outcomes.charts,
            "codes": len(self.outcomes.codes),
        }

    def _dicts(self, found: Mapping[str, Matched]) -> dict[str, object]:
        return {
            name: {**one.to_dict(), "codes": self.codes_in[name]} for name, one in found.items()
        }


def evaluate_codes(
    sides: Sides,
    *,
    seen: Mapping[Code, int] | None = None,
    costs: Costs = PAPER,
    times: int = 1000,
    seed: int = 0,
) -> CodesResult:
    """Every measure of the codes, with intervals from `times` resamples of the charts.

    `seen` says on how many training charts each code was: its codes join the label space, and the
    measures are also given by how often a code was seen.

    >>> from auscult.core import Annotation
    >>> from auscult.corpus import Corpus
    >>> from auscult.evaluate.sides import pair
    >>> def said(who, *values):
    ...     return Corpus.of([], [Annotation(who, Code("CPT", v), "chart") for v in values])
    >>> found = evaluate_codes(pair(said("gold", "1", "2"), said("coder", "2", "3", "4")))
    >>> print(found.measures["micro_f1"], found.micro.counts)
    micro_f1 = 0.400 Counts(tp=1, fp=2, fn=1)
    """
    found = outcomes(sides, seen.keys() if seen is not None else ())
    bands = {} if seen is None else groups.by_band(found, seen)
    chapters = groups.by_chapter(found)
    tables = {"micro": found.counts_by_chart()}
    tables |= {f"band {name}": found.counts_by_chart(among) for name, among in bands.items()}
    tables |= {f"chapter {name}": found.counts_by_chart(among) for name, among in chapters.items()}
    grouped = measure_counts(
        tables, dict.fromkeys(tables, "the codes of each chart as sets"), times=times, seed=seed
    )
    micro = grouped["micro"]
    return CodesResult(
        _measures(found, micro, costs, times, seed),
        micro,
        {name: grouped[f"band {name}"] for name in bands},
        {name: grouped[f"chapter {name}"] for name in chapters},
        {name: int(among.sum()) for name, among in {**bands, **chapters}.items()},
        found,
    )


def compare_codes(
    first: CodesResult, second: CodesResult, *, times: int = 1000, seed: int = 0
) -> list[Comparison]:
    """Two coders on the same charts, in the label space of both."""
    require_same_charts(first.outcomes.chart_ids, second.outcomes.chart_ids)
    both = joined(first.outcomes, second.outcomes)
    micro = ratio_statistic({"micro": both.counts_by_chart()})
    parts: list[tuple[Sequence[str], Statistic]] = [
        (list(_MICRO), micro),
        (list(_EXACT), ranking.mean_statistic(_exact(both))),
        ([_COST], ranking.mean_statistic(cost_by_chart(both)[:, None])),
        (list(_MACRO), _macro_statistic(both, coders=2)),
    ]
    if both.no_ranking is None:
        parts.append(
            (list(ranking.AT_THE_TOP), ranking.mean_statistic(ranking.top_of_charts(both)))
        )
    if both.no_ranking is None and both.no_areas is None:
        parts.append((list(ranking.AREAS), ranking.area_statistic(both)))
    compared = []
    for names, statistic in parts:
        fewer = _affordable(both, times) if names == list(ranking.AREAS) else times
        charts = first.outcomes.charts
        compared += compare(statistic, names, charts, times=fewer, seed=seed)
    return compared


def _measures(
    found: Outcomes, micro: Matched, costs: Costs, times: int, seed: int
) -> dict[str, Measure]:
    measures = {}
    for (name, definition), one in zip(
        _MICRO.items(), (micro.precision, micro.recall, micro.f1), strict=True
    ):
        measures[name] = Measure(
            name, definition, one.value, one.interval, found.charts, one.undefined
        )

    def add(
        definitions: Mapping[str, str], statistic: Statistic, n: int, why: str, times: int
    ) -> None:
        values = bootstrap.point(statistic, found.charts)
        edges = bootstrap.intervals(
            statistic, found.charts, times=times, seed=seed, centred=definitions is _MACRO
        )
        for (name, definition), value, (begin, end) in zip(
            definitions.items(), values, edges, strict=True
        ):
            if np.isnan(value):
                measures[name] = Measure(name, definition, n=n, undefined=why)
            else:
                interval = None if np.isnan(begin) else (float(begin), float(end))
                measures[name] = Measure(name, definition, float(value), interval, n)

    charts, codes = found.charts, len(found.codes)
    add(_EXACT, ranking.mean_statistic(_exact(found)), charts, "there are no charts", times)
    cost = ranking.mean_statistic(cost_by_chart(found, costs)[:, None])
    add({_COST: costs.definition}, cost, charts, "there are no charts", times)
    add(_MACRO, _macro_statistic(found), codes, "there are no codes to average over", times)
    if found.no_ranking is not None:
        for name, definition in {**ranking.AT_THE_TOP, **ranking.AREAS}.items():
            measures[name] = Measure(name, definition, undefined=found.no_ranking)
        return measures
    top = ranking.mean_statistic(ranking.top_of_charts(found))
    add(ranking.AT_THE_TOP, top, charts, "no chart has gold codes", times)
    if found.no_areas is not None:
        for name, definition in ranking.AREAS.items():
            measures[name] = Measure(name, definition, undefined=found.no_areas)
        return measures
    why = "gold has every code of the label space on every chart, or none on any"
    areas = ranking.area_statistic(found)
    add(ranking.AREAS, areas, charts, why, _affordable(found, times))
    return measures


def _affordable(found: Outcomes, times: int) -> int:
    ranked = int((~np.isnan(found.score)).sum())
    return min(times, max(_FEWEST, _RANKED_CELLS // max(ranked, 1)))


def _exact(found: Outcomes) -> Floats:
    wrong = found.by_chart(found.gold != found.predicted)
    exact: Floats = (wrong == 0).astype(np.float64)[:, None]
    return exact


def _macro_statistic(found: Outcomes, coders: int = 1) -> Statistic:
    """The measures of `_MACRO`, from the counts of every code.

    A code that no drawn chart has to do with, on either side, is left out of the means of that
    resample. Counting it as 0 would put the whole interval below a perfect coder's 1. With several
    coders after each other, what counts as drawn is drawn for all of them.
    """
    tables = [
        _by_code(found, kind)
        for kind in (
            found.gold & found.predicted,
            ~found.gold & found.predicted,
            found.gold & ~found.predicted,
        )
    ]
    said = np.asarray(sum(tables).sum(axis=1)) > 0
    step = max(1, _CELLS_AT_ONCE // max(len(found.codes), 1))

    def some(weights: Floats) -> Floats:
        sums = np.stack([(table @ weights.T).T for table in tables], axis=-1)  # (draws, codes, 3)
        per_code = np.nan_to_num(ratios(sums))
        present = (sums[..., 0] + sums[..., 2]) > 0
        # What one coder's charts are drawn for is drawn for all.
        drawn = np.tile(weights.reshape(len(weights), coders, -1).sum(axis=1), coders)
        touched = (sum(tables) @ drawn.T).T > 0
        columns = []
        for number, chosen in (
            ((touched | ~said).sum(axis=1), touched),
            (present.sum(axis=1), present),
        ):
            with np.errstate(invalid="ignore", divide="ignore"):
                means = (per_code * chosen[..., None]).sum(axis=1) / number[:, None]
                p, r, f1 = means.T
                harmonic = np.where(p + r == 0, p + r, 2 * p * r / (p + r))
            columns += [p, r, f1, harmonic]
        return np.stack(columns, axis=1)

    def statistic(weights: Floats) -> Floats:
        parts = range(0, len(weights), step)
        return np.concatenate([some(weights[at : at + step]) for at in parts])

    return statistic


def _by_code(found: Outcomes, which: Bools) -> csr_array:
    """Where the chosen rows are, as codes × charts."""
    rows = (found.code[which], found.chart[which])
    ones = np.ones(int(which.sum()))
    return csr_array((ones, rows), shape=(len(found.codes), found.charts))
