"""Many systems on the same charts: how right each is, who is ahead, and who can be told apart.

The ranking is by micro-F1. All systems get the same resamples of the charts, so that the interval
of a rank is one: where a system comes out when other charts of the same kind had been chosen.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from auscult.core import Annotation, Code, Measure, OptionError
from auscult.core.counts import Counts
from auscult.corpus import Corpus
from auscult.evaluate import ranking
from auscult.evaluate.costs import cost_by_chart
from auscult.evaluate.matched import measure_counts, ratio_statistic, ratios
from auscult.evaluate.outcomes import Outcomes, outcomes
from auscult.evaluate.sides import Sides
from auscult.statistics import bootstrap
from auscult.statistics.anova import Anova, two_factor_anova
from auscult.statistics.bootstrap import Floats
from auscult.statistics.cost_sensitive import PAPER, Costs
from auscult.statistics.pairwise import Pair, groups_alike, letters, pairwise_tests

Answers = Mapping[str, AbstractSet[Code]]
"""The codes that somebody gave each chart."""

MACRO = "macro_f1_as_mean_of_code_f1_over_gold_codes"
_MACRO_SAYS = "mean of the codes' F1 over codes that gold has on at least one chart"


@dataclass(frozen=True, slots=True)
class Standing:
    """One system, or a person who is placed among them and has no rank."""

    name: str
    rank: int | None
    ranks: tuple[int, int] | None
    """From where to where the rank goes in 95% of resamples."""
    measures: Mapping[str, Measure] = field(repr=False)
    counts: Counts
    f1: tuple[float, ...] = field(repr=False)
    """Of each code of `Standings.codes`."""

    @property
    def is_human(self) -> bool:
        """Whether it is a person."""
        return self.rank is None

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "name": self.name,
            "human": self.is_human,
            "rank": self.rank,
            "rank_interval": self.ranks,
            **{name: measure.value for name, measure in self.measures.items()},
            "intervals": {n: m.interval for n, m in self.measures.items() if m.interval},
            "undefined": {n: m.undefined for n, m in self.measures.items() if m.undefined},
            "tp": self.counts.tp,
            "fp": self.counts.fp,
            "fn": self.counts.fn,
            "f1_of_codes": list(self.f1),
        }


@dataclass(frozen=True, slots=True)
class Standings:
    """Everybody in the order of micro-F1, and gold's codes, the most frequent first."""

    rows: tuple[Standing, ...]
    codes: tuple[Code, ...] = field(repr=False)
    frequencies: tuple[int, ...] = field(repr=False)
    charts: int
    label_set: frozenset[Code] | None = field(default=None, repr=False)
    """The codes that systems may give; people may give any."""

    @property
    def systems(self) -> tuple[Standing, ...]:
        """Those with a rank."""
        return tuple(row for row in self.rows if not row.is_human)

    @property
    def humans(self) -> tuple[Standing, ...]:
        """The people among them."""
        return tuple(row for row in self.rows if row.is_human)

    @property
    def outside(self) -> tuple[Code, ...]:
        """Gold's codes that no system may give, so that all miss them."""
        if self.label_set is None:
            return ()
        return tuple(code for code in self.codes if code not in self.label_set)

    @property
    def ceiling(self) -> float | None:
        """The micro-F1 of a system that gives all of gold's codes that it may, and no other."""
        beyond = set(self.outside)
        counts = Counts()
        for code, number in zip(self.codes, self.frequencies, strict=True):
            counts += Counts(0, 0, number) if code in beyond else Counts(number, 0, 0)
        return counts.f1

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        measured = self.rows[0].measures.values() if self.rows else ()
        return {
            "charts": self.charts,
            "codes": [str(code) for code in self.codes],
            "codes_outside_the_label_set": [str(code) for code in self.outside],
            "ceiling_of_micro_f1": self.ceiling,
            "standings": [row.to_dict() for row in self.rows],
            "definitions": {measure.name: measure.definition for measure in measured},
        }


@dataclass(frozen=True, slots=True)
class Analysis:
    """Whether systems differ: variance over systems and codes, all pairs, and groups alike."""

    names: tuple[str, ...]
    anova: Anova | None
    pairs: tuple[Pair, ...] = field(repr=False)
    groups: tuple[tuple[str, ...], ...]
    """Systems that cannot be told apart, the best group first; a system may be in several."""
    undefined: str | None = None

    def letters_of(self, name: str) -> str:
        """The letters of the groups a system is in."""
        return " ".join(letters(at) for at, group in enumerate(self.groups) if name in group)

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
        said = [
            Annotation(who, code, chart_id)
            for chart_id in gold
            for code in sorted(answers.get(chart_id, ()))
        ]
        return Corpus.of((), said)

    return Sides(corpus("gold", gold), corpus("system", given), tuple(gold), "gold", "system")


def standings(
    gold: Answers,
    systems: Mapping[str, Answers],
    humans: Mapping[str, Answers] | None = None,
    *,
    label_set: Collection[Code] | None = None,
    costs: Costs = PAPER,
    times: int = 1000,
    seed: int = 0,
) -> Standings:
    """Rank systems by micro-F1 and place people among them.

    A chart that a system did not answer is one where it missed everything; answers on charts that
    gold does not have are ignored. Systems with the same micro-F1 have the same rank. `label_set`
    are the codes that systems may give, where not all.

    >>> def said(*values):
    ...     return {str(n): {Code("CPT", v) for v in row} for n, row in enumerate(values)}
    >>> found = standings(said("ab", "c"), {"x": said("a", "b"), "y": said("ab", "c")}, times=0)
    >>> [(row.rank, row.name, row.measures["micro_f1"].value) for row in found.rows]
    [(1, 'y', 1.0), (2, 'x', 0.4)]
    """
    people = humans or {}
    if both := systems.keys() & people.keys():
        raise OptionError(f"A system and a person are both called {min(both)}; rename the system.")
    everybody = {**systems, **people}
    found = {name: outcomes(sides_of(gold, given)) for name, given in everybody.items()}
    codes, frequencies = _gold_codes(gold)
    tables = {name: one.counts_by_chart() for name, one in found.items()}
    micro = measure_counts(tables, dict.fromkeys(tables, ""), times=times, seed=seed)
    cost = _costs(found, costs, times, seed)
    by_code = {name: _f1_by_code(one, codes) for name, one in found.items()}
    places = {name: at for at, name in enumerate(systems)}
    ranks = _ranks({name: tables[name] for name in systems}, times, seed)
    rows = []
    for name in everybody:
        one = micro[name]
        ratio = {"f1": one.f1, "precision": one.precision, "recall": one.recall}
        measures = {
            **{f"micro_{kind}": replace(m, name=f"micro_{kind}") for kind, m in ratio.items()},
            MACRO: _macro(by_code[name]),
            "cost_sensitive": cost[name],
        }
        at = places.get(name)
        assert one.counts is not None  # codes can always be counted
        rows.append(
            Standing(
                name,
                None if at is None else ranks.now[at],
                None if at is None else ranks.intervals[at],
                measures,
                one.counts,
                tuple(by_code[name].tolist()),
            )
        )
    rows.sort(key=lambda row: (-(row.measures["micro_f1"].value or 0.0), row.name))
    known = None if label_set is None else frozenset(label_set)
    return Standings(tuple(rows), codes, frequencies, len(gold), known)


def analyse(found: Standings, among: Collection[str] | None = None) -> Analysis:
    """Whether the systems differ, on the F1 of every code that gold has."""
    chosen = [row for row in found.systems if among is None or row.name in among]
    names = tuple(row.name for row in chosen)
    if len(chosen) < 2 or len(found.codes) < 2:
        why = "it takes two systems and two codes at least"
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


def _f1_by_code(found: Outcomes, codes: Sequence[Code]) -> Floats:
    """The F1 of every code that gold has: such a code has one, whatever was predicted."""
    number = len(found.codes)
    columns = [
        np.bincount(found.code[which], minlength=number)
        for which in (
            found.gold & found.predicted,
            ~found.gold & found.predicted,
            found.gold & ~found.predicted,
        )
    ]
    f1 = ratios(np.stack(columns, axis=-1).astype(np.float64))[:, 2]
    place = {code: at for at, code in enumerate(found.codes)}
    wanted: Floats = f1[[place[code] for code in codes]]
    return wanted


def _macro(f1: Floats) -> Measure:
    if not len(f1):
        return Measure(MACRO, _MACRO_SAYS, n=0, undefined="gold has no codes")
    return Measure(MACRO, _MACRO_SAYS, float(f1.mean()), n=len(f1))


def _costs(
    found: Mapping[str, Outcomes], costs: Costs, times: int, seed: int
) -> dict[str, Measure]:
    if not found:
        return {}
    table = np.stack([cost_by_chart(one, costs) for one in found.values()], axis=1)
    statistic = ranking.mean_statistic(table)
    charts = len(table)
    values = bootstrap.point(statistic, charts)
    edges = bootstrap.intervals(statistic, charts, times=times, seed=seed)
    return {
        name: Measure("cost_sensitive", costs.definition, undefined="there are no charts")
        if np.isnan(value)
        else Measure(
            "cost_sensitive",
            costs.definition,
            float(value),
            None if np.isnan(begin) else (float(begin), float(end)),
            charts,
        )
        for name, value, (begin, end) in zip(found, values, edges, strict=True)
    }


@dataclass(frozen=True, slots=True)
class _Ranks:
    now: tuple[int, ...]
    intervals: tuple[tuple[int, int] | None, ...]


def _ranks(tables: Mapping[str, NDArray[np.int64]], times: int, seed: int) -> _Ranks:
    """The rank of each system by micro-F1, and from where to where it goes in resamples."""
    if not tables:
        return _Ranks((), ())
    charts = len(next(iter(tables.values())))
    statistic = ratio_statistic(tables)

    def ranked(weights: Floats) -> Floats:
        f1 = np.nan_to_num(statistic(weights)[:, 2::3])  # (draws, systems)
        better = f1[:, None, :] > f1[:, :, None] + 1e-12
        ranks: Floats = 1.0 + better.sum(axis=2)
        return ranks

    now = tuple(int(rank) for rank in bootstrap.point(ranked, charts))
    if charts < 2 or times == 0:
        return _Ranks(now, (None,) * len(now))
    drawn = np.concatenate([ranked(weights) for weights in bootstrap.draws(charts, times, seed)])
    edges = [np.quantile(column, [0.025, 0.975], method="nearest") for column in drawn.T]
    return _Ranks(now, tuple((int(begin), int(end)) for begin, end in edges))
