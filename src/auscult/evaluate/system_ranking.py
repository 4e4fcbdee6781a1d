"""Ranking of many systems on the same charts, and significance tests between them.

The ranking is by micro-F1. All systems get the same resamples of the charts, so that the interval
of a rank shows where a system would be if other charts of the same kind had been chosen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

import numpy as np

from auscult.core import Annotation, Code, Metric
from auscult.core.counts import Counts
from auscult.core.plurals import counted
from auscult.core.results import MetricRow, Result
from auscult.corpus import Corpus
from auscult.evaluate.matching import metric_counts, ratios
from auscult.evaluate.metrics import cost_sensitive, macro, micro, registry
from auscult.evaluate.outcomes import Outcomes, outcomes
from auscult.evaluate.ranked import (
    RankedRow,
    definitions,
    ranked_metric_rows,
    require_names_apart,
)
from auscult.evaluate.resampled_ranks import resampled_ranks
from auscult.evaluate.sides import Sides
from auscult.statistics import bootstrap
from auscult.statistics.anova import Anova, two_factor_anova
from auscult.statistics.bootstrap import Floats
from auscult.statistics.cost_sensitive import PAPER, Costs
from auscult.statistics.pairwise import PairwiseTest, groups_alike, letters, pairwise_tests

Answers = Mapping[str, AbstractSet[Code]]
"""Codes by chart, as one system or person gave them."""

MACRO = macro.F1_OVER_GOLD_CODES.name
MACRO_OF_AVERAGES = macro.F1_OF_AVERAGES_OVER_GOLD_CODES.name


@dataclass(frozen=True, slots=True)
class RankedSystem(RankedRow):
    """A system or a person, with the metrics by code."""

    counts: Counts
    f1: tuple[float, ...] = field(repr=False)
    """By code of `SystemRanking.codes`."""

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            **self.placed(),
            "tp": self.counts.tp,
            "fp": self.counts.fp,
            "fn": self.counts.fn,
            "f1_of_codes": list(self.f1),
        }


@dataclass(frozen=True, slots=True, repr=False)
class SystemRanking(Result):
    """The systems and people in the order of micro-F1, and the gold codes by frequency."""

    rows: tuple[RankedSystem, ...]
    codes: tuple[Code, ...] = field(repr=False)
    frequencies: tuple[int, ...] = field(repr=False)
    charts: int
    label_set: frozenset[Code] | None = field(default=None, repr=False)
    """The codes that systems may predict; people may use any."""

    @property
    def systems(self) -> tuple[RankedSystem, ...]:
        """Those with a rank."""
        return tuple(row for row in self.rows if not row.is_human)

    @property
    def humans(self) -> tuple[RankedSystem, ...]:
        """The people among them."""
        return tuple(row for row in self.rows if row.is_human)

    @property
    def outside(self) -> tuple[Code, ...]:
        """The gold codes outside the label set, which all systems miss."""
        if self.label_set is None:
            return ()
        return tuple(code for code in self.codes if code not in self.label_set)

    @property
    def ceiling(self) -> float | None:
        """The highest possible micro-F1, with all gold codes of the label set and no other."""
        beyond = set(self.outside)
        counts = Counts()
        for code, number in zip(self.codes, self.frequencies, strict=True):
            counts += Counts(0, 0, number) if code in beyond else Counts(number, 0, 0)
        return counts.f1

    def metric_rows(self) -> Iterator[MetricRow]:
        """Every metric of every system, in the order of the ranking; a person has no rank."""
        return ranked_metric_rows(self.rows)

    def headline(self) -> str:
        """How many systems and people, on how many charts."""
        people = f", {len(self.humans)} human" if self.humans else ""
        systems = counted(len(self.systems), "system")
        return f"{systems}{people}, {counted(self.charts, 'chart')}"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "charts": self.charts,
            "codes": [str(code) for code in self.codes],
            "codes_outside_the_label_set": [str(code) for code in self.outside],
            "ceiling_of_micro_f1": self.ceiling,
            "ranking": [row.to_dict() for row in self.rows],
            "definitions": definitions(self.rows),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Analysis(Result):
    """Whether systems differ: analysis of variance, pairwise tests, and groups."""

    names: tuple[str, ...]
    anova: Anova | None
    pairs: tuple[PairwiseTest, ...] = field(repr=False)
    groups: tuple[tuple[str, ...], ...]
    """Systems that do not differ significantly, the best group first; groups may overlap."""
    undefined: str | None = None

    def letters_of(self, name: str) -> str:
        """The letters of the groups a system is in."""
        return " ".join(letters(at) for at, group in enumerate(self.groups) if name in group)

    def metric_rows(self) -> Iterator[MetricRow]:
        """The metrics of the factors; then the difference of each pair and its two p-values."""
        if self.anova is not None:
            yield from self.anova.metric_rows()
        for pair in self.pairs:
            labels = {"first": self.names[pair.first], "second": self.names[pair.second]}
            yield (
                labels,
                Metric("difference", "mean over codes of F1, first − second", pair.difference),
            )
            yield labels, Metric("p_value", "two-sided paired t-test over codes", pair.p_value)
            yield (
                labels,
                Metric(
                    "p_value_corrected", "the same by Holm's rule over all pairs", pair.corrected
                ),
            )

    def headline(self) -> str:
        """How many systems, and how many groups of them cannot be told apart."""
        if self.undefined is not None:
            return self.undefined
        return f"{counted(len(self.names), 'system')}, {counted(len(self.groups), 'group')} alike"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "anova": None if self.anova is None else self.anova.to_dict(),
            "pairs": [
                {
                    "first": self.names[pair.first],
                    "second": self.names[pair.second],
                    "difference": pair.difference,
                    "t": pair.t if np.isfinite(pair.t) else None,
                    "p_value": pair.p_value,
                    "corrected": pair.corrected,
                    "differs": pair.differs,
                }
                for pair in self.pairs
            ],
            "groups": [list(group) for group in self.groups],
            "undefined": self.undefined,
        }


def sides_of(gold: Answers, given: Answers) -> Sides:
    """Gold and a system as the two sides of an evaluation, over gold's charts and no others."""

    def corpus(who: str, answers: Answers) -> Corpus:
        annotations = [
            Annotation(who, code, chart_id)
            for chart_id in gold
            for code in sorted(answers.get(chart_id, ()))
        ]
        return Corpus.of((), annotations)

    return Sides(corpus("gold", gold), corpus("system", given), tuple(gold), "gold", "system")


def rank_systems(
    gold: Answers,
    systems: Mapping[str, Answers],
    humans: Mapping[str, Answers] | None = None,
    *,
    label_set: Collection[Code] | None = None,
    costs: Costs = PAPER,
    times: int = 1000,
    seed: int = 0,
) -> SystemRanking:
    """Rank systems by micro-F1 and place people among them.

    A chart without predictions counts as all missed; predictions on charts outside gold are
    ignored. Systems with the same micro-F1 have the same rank. `label_set` restricts the codes that
    systems may predict.

    >>> def answers(*values):
    ...     return {str(n): {Code("CPT", v) for v in row} for n, row in enumerate(values)}
    >>> systems = {"x": answers("a", "b"), "y": answers("ab", "c")}
    >>> found = rank_systems(answers("ab", "c"), systems, times=0)
    >>> [(row.rank, row.name, row.metrics["micro_f1"].value) for row in found.rows]
    [(1, 'y', 1.0), (2, 'x', 0.4)]
    """
    people = humans or {}
    require_names_apart(systems, people)
    everybody = {**systems, **people}
    sides = {name: sides_of(gold, given) for name, given in everybody.items()}
    found = {name: outcomes(one) for name, one in sides.items()}
    codes, frequencies = _gold_codes(gold)
    tables = {name: one.counts_by_chart() for name, one in found.items()}
    counted = metric_counts(tables, dict.fromkeys(tables, ""), times=times, seed=seed)
    cost = _costs(found, costs, times, seed)
    by_code = {name: _ratios_by_code(one, codes) for name, one in found.items()}
    places = {name: at for at, name in enumerate(systems)}
    installed = registry.plugin_names()
    ranks = resampled_ranks({name: tables[name] for name in systems}, times, seed)
    rows = []
    for name in everybody:
        one = counted[name]
        ratio = ((micro.F1, one.f1), (micro.PRECISION, one.precision), (micro.RECALL, one.recall))
        others = registry.plugin_sums(sides[name], installed)
        metrics = {
            **{
                named.name: replace(m, name=named.name, definition=named.definition)
                for named, m in ratio
            },
            **_macro(by_code[name]),
            cost_sensitive.NAME: cost[name],
            **{key: sums.metric(len(gold), times=times, seed=seed) for key, sums in others.items()},
        }
        at = places.get(name)
        assert one.counts is not None  # codes can always be counted
        rows.append(
            RankedSystem(
                name,
                None if at is None else ranks.now[at],
                None if at is None else ranks.intervals[at],
                metrics,
                one.counts,
                tuple(by_code[name][:, 2].tolist()),
            )
        )
    rows.sort(key=lambda row: (-(row.metrics["micro_f1"].value or 0.0), row.name))
    known = None if label_set is None else frozenset(label_set)
    return SystemRanking(tuple(rows), codes, frequencies, len(gold), known)


def analyze(found: SystemRanking, among: Collection[str] | None = None) -> Analysis:
    """Test whether the systems differ, by the F1 of every gold code."""
    chosen = [row for row in found.systems if among is None or row.name in among]
    names = tuple(row.name for row in chosen)
    if len(chosen) < 2 or len(found.codes) < 2:
        why = "it needs at least two systems and two codes"
        return Analysis(names, None, (), tuple((name,) for name in names), why)
    table = np.array([row.f1 for row in chosen])
    pairs = pairwise_tests(table)
    groups = tuple(tuple(names[at] for at in g) for g in groups_alike(len(names), pairs))
    return Analysis(names, two_factor_anova(table), pairs, groups)


def _gold_codes(gold: Answers) -> tuple[tuple[Code, ...], tuple[int, ...]]:
    counted: dict[Code, int] = {}
    for codes in gold.values():
        for code in codes:
            counted[code] = counted.get(code, 0) + 1
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return tuple(code for code, _ in ordered), tuple(number for _, number in ordered)


def _ratios_by_code(found: Outcomes, codes: Sequence[Code]) -> Floats:
    """Precision, recall and F1 of every gold code, (codes, 3); a code never predicted has 0s."""
    number = len(found.codes)
    columns = [
        np.bincount(found.code[which], minlength=number)
        for which in (
            found.gold & found.predicted,
            ~found.gold & found.predicted,
            found.gold & ~found.predicted,
        )
    ]
    every = np.nan_to_num(ratios(np.stack(columns, axis=-1).astype(np.float64)))
    place = {code: at for at, code in enumerate(found.codes)}
    chosen: Floats = every[[place[code] for code in codes]]
    return chosen


def _macro(by_code: Floats) -> dict[str, Metric]:
    """Macro-F1 in both definitions."""
    of_averages = mean_of_f1 = float("nan")
    if len(by_code):
        p, r, mean_of_f1 = by_code.mean(axis=0).tolist()
        of_averages = 2 * p * r / (p + r) if p + r else 0.0
    return {
        MACRO: macro.F1_OVER_GOLD_CODES.metric(mean_of_f1, n=len(by_code)),
        MACRO_OF_AVERAGES: macro.F1_OF_AVERAGES_OVER_GOLD_CODES.metric(of_averages, n=len(by_code)),
    }


def _costs(found: Mapping[str, Outcomes], costs: Costs, times: int, seed: int) -> dict[str, Metric]:
    if not found:
        return {}
    table = np.stack([cost_sensitive.cost_by_chart(one, costs) for one in found.values()], axis=1)
    statistic = bootstrap.mean_statistic(table)
    charts = len(table)
    values = bootstrap.point(statistic, charts)
    edges = bootstrap.intervals(statistic, charts, times=times, seed=seed)
    defined = cost_sensitive.definition(costs)
    return {
        name: defined.metric(float(value), (float(begin), float(end)), charts)
        for name, value, (begin, end) in zip(found, values, edges, strict=True)
    }
