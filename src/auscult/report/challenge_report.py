"""A challenge's result as one page: the ranking, two metrics plotted, every code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from auscult.codes import describe
from auscult.core import Metric
from auscult.evaluate.metrics import cost_sensitive, micro
from auscult.evaluate.system_ranking import (
    MACRO,
    MACRO_OF_AVERAGES,
    Analysis,
    RankedSystem,
    SystemRanking,
)
from auscult.report import metric_format, plots
from auscult.report.challenge_extras import ChallengeExtras, evidence_rows
from auscult.report.page import write_page
from auscult.statistics.pairwise import letters

_CODES = 60
_PAIRS = 12
# Columns of the table already.
_SHOWN = {*(one.name for one in micro.METRICS), MACRO, MACRO_OF_AVERAGES, cost_sensitive.NAME}


def challenge_report(
    found: SystemRanking,
    analysis: Analysis,
    out: Path,
    *,
    name: str,
    attempts: Mapping[str, int] | None = None,
    home: str = "",
    also: ChallengeExtras | None = None,
) -> None:
    """Write the page, with a way back to `home` if there is one. It quotes no note.

    `attempts` says how many a team took, where that is known; `also` is what else there is.
    """
    also = also or ChallengeExtras()
    low, high = _extent(found.rows)
    apart = _from_first(analysis)
    definitions = found.rows[0].metrics.values() if found.rows else ()
    write_page(
        out,
        "challenge.html",
        made={"challenge": name, "documents": f"{found.charts:,}"},
        home=home,
        shows_text="",
        title=name,
        lead=_lead(found),
        tiles=_tiles(found, attempts or {}),
        low=f"{low:.2f}",
        high=f"{high:.2f}",
        rows=[_row(row, apart, attempts or {}, low, high) for row in found.rows],
        others=_others(found),
        has_attempts=bool(attempts),
        has_people=bool(found.humans),
        scatter=_scatter(found),
        anova=_anova(analysis),
        why=analysis.undefined,
        groups=_groups(analysis),
        summary=_summary(analysis),
        pairs=_pairs(analysis)[:_PAIRS],
        pairs_more=max(0, len(_pairs(analysis)) - _PAIRS),
        codes=_codes(found),
        more=max(0, len(found.codes) - _CODES),
        outside=_outside(found),
        heat=[_heat(row, found) for row in found.rows],
        metrics=[(metric.name, metric.definition) for metric in definitions],
        evidence=evidence_rows(also.evidence),
        also=also,
        has_units=len({row.document for row in also.funnel}) > 1,
    )


def _lead(found: SystemRanking) -> str:
    people = f" and {len(found.humans)} human coders" if found.humans else ""
    return (
        f"{len(found.systems)} systems{people} on {found.charts:,} documents with "
        f"{sum(found.frequencies):,} codes ({len(found.codes):,} distinct). Ranked by "
        "micro-F1. 95% confidence intervals from a bootstrap over documents."
    )


def _tiles(found: SystemRanking, attempts: Mapping[str, int]) -> list[tuple[str, str, str]]:
    values = [row.metrics[micro.F1.name].value or 0.0 for row in found.systems]
    tiles = []
    if values:
        best = found.systems[0]
        first = best.metrics[micro.F1.name]
        tiles.append(
            (
                f"{micro.F1.label} of {best.name}",
                metric_format.value(first),
                metric_format.interval(first),
            )
        )
        spread = f"SD {stdev(values):.3f}" if len(values) > 1 else ""
        tiles.append((f"mean {micro.F1.label}", f"{fmean(values):.3f}", spread))
        tiles.append((f"lowest {micro.F1.label}", f"{min(values):.3f}", ""))
    if found.humans:
        person = found.humans[0]
        metric = person.metrics[micro.F1.name]
        tiles.append(
            (
                f"{person.name}, best human coder",
                metric_format.value(metric),
                metric_format.interval(metric),
            )
        )
        ahead = sum(value > (metric.value or 0.0) for value in values)
        if values:
            tiles.append((f"systems ahead of {person.name}", f"{ahead} of {len(values)}", ""))
    if attempts:
        mean = fmean(attempts.values())
        tiles.append(("mean attempts per team", f"{mean:.2f}", ""))
    return tiles


def _extent(rows: Sequence[RankedSystem]) -> tuple[float, float]:
    """The part of the scale from 0 to 1 that the intervals take, in tenths."""
    edges = [edge for row in rows for edge in _edges(row.metrics[micro.F1.name])]
    low, high = floor(10 * min(edges, default=0)) / 10, ceil(10 * max(edges, default=1)) / 10
    return low, max(high, low + 0.1)


def _edges(metric: Metric) -> tuple[float, float]:
    value = metric.value or 0.0
    return metric.interval or (value, value)


def _row(
    row: RankedSystem,
    apart: Mapping[str, str],
    attempts: Mapping[str, int],
    low: float,
    high: float,
) -> dict[str, Any]:
    metric = row.metrics[micro.F1.name]

    def place(value: float) -> float:
        return round(100 * (value - low) / (high - low), 2)

    begin, end = _edges(metric)
    return {
        "is_human": row.is_human,
        "rank": "–" if row.rank is None else str(row.rank),
        "ranks": "" if row.ranks is None else "{}–{}".format(*row.ranks),
        "name": row.name,
        "micro": metric_format.value(metric),
        "interval": metric_format.interval(metric),
        "at": place(metric.value or 0.0),
        "begin": place(begin),
        "width": round(place(end) - place(begin), 2),
        "precision": metric_format.value(row.metrics[micro.PRECISION.name]),
        "recall": metric_format.value(row.metrics[micro.RECALL.name]),
        "macro": metric_format.value(row.metrics[MACRO]),
        "macro_of_averages": metric_format.value(row.metrics[MACRO_OF_AVERAGES]),
        "cost": metric_format.value(row.metrics[cost_sensitive.NAME]),
        "others": [metric_format.value(m) for name, m in row.metrics.items() if name not in _SHOWN],
        "given": f"{row.counts.tp + row.counts.fp:,}",
        "apart": apart.get(row.name, ""),
        "attempts": attempts.get(row.name, ""),
    }


def _others(found: SystemRanking) -> list[str]:
    """The metrics of other packages, which have columns of their own."""
    names = found.rows[0].metrics if found.rows else ()
    return [name.replace("_", " ") for name in names if name not in _SHOWN]


def _scatter(found: SystemRanking) -> Any:
    def points(rows: Sequence[RankedSystem]) -> list[tuple[str, float, float]]:
        return [
            (
                row.name,
                row.metrics[micro.F1.name].value or 0.0,
                row.metrics[cost_sensitive.NAME].value or 0.0,
            )
            for row in rows
        ]

    return plots.scatter(
        points(found.systems),
        points(found.humans),
        (micro.F1.label, cost_sensitive.definition().label),
    )


def _anova(analysis: Analysis) -> list[dict[str, str]]:
    if analysis.anova is None:
        return []
    rows = [
        {
            "name": factor.name,
            "freedom": f"{factor.freedom:,}",
            "squares": f"{factor.sum_of_squares:.3f}",
            "ratio": "–" if factor.f_ratio.value is None else f"{factor.f_ratio.value:.2f}",
            "chance": _chance(factor.p_value.value),
        }
        for factor in analysis.anova.factors
    ]
    rest = analysis.anova
    return [
        *rows,
        {
            "name": "error",
            "freedom": f"{rest.freedom:,}",
            "squares": f"{rest.sum_of_squares:.3f}",
            "ratio": "",
            "chance": "",
        },
    ]


def _chance(p_value: float | None) -> str:
    if p_value is None:
        return "–"
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def _groups(analysis: Analysis) -> list[dict[str, Any]]:
    return [
        {"letter": letters(at), "names": group, "number": len(group)}
        for at, group in enumerate(analysis.groups)
    ]


def _from_first(analysis: Analysis) -> dict[str, str]:
    """Whether each system differs significantly from the first."""
    return {
        analysis.names[pair.second]: "yes" if pair.differs else "no"
        for pair in analysis.pairs
        if pair.first == 0
    }


def _summary(analysis: Analysis) -> str:
    """How many systems do not differ significantly from the first."""
    if not analysis.pairs:
        return ""
    alike = sum(pair.first == 0 and not pair.differs for pair in analysis.pairs)
    different = sum(pair.differs for pair in analysis.pairs)
    return (
        f"{different:,} of {len(analysis.pairs):,} pairs of systems differ significantly at "
        f"0.05. The first, {analysis.names[0]}, does not differ significantly from {alike} of the "
        f"other {len(analysis.names) - 1}."
    )


def _pairs(analysis: Analysis) -> list[dict[str, str]]:
    """The first system against each of the others."""
    return [
        {
            "second": analysis.names[pair.second],
            "difference": f"{pair.difference:+z.3f}",
            "chance": _chance(pair.p_value),
            "corrected": _chance(pair.corrected),
            "differs": "yes" if pair.differs else "no",
        }
        for pair in analysis.pairs
        if pair.first == 0
    ]


def _outside(found: SystemRanking) -> str:
    """How codes outside the label space limit the systems' scores."""
    if not found.outside:
        return ""
    beyond = set(found.outside)
    times = sum(n for code, n in zip(found.codes, found.frequencies, strict=True) if code in beyond)
    return (
        f"{len(beyond):,} of the {len(found.codes):,} gold codes ({times:,} of "
        f"{sum(found.frequencies):,} occurrences) are outside the label space: systems may not "
        "predict them, but they count as missed. "
        f"The highest possible micro-F1 of a system is {found.ceiling or 0:.3f}. Human coders may "
        "assign them."
    )


def _codes(found: SystemRanking) -> list[dict[str, Any]]:
    return [
        {
            "value": code.value,
            "title": f"{code} {describe(code) or ''}: {number:,} documents"
            + (", outside the label space" if code in found.outside else ""),
            "is_outside": code in found.outside,
        }
        for code, number in zip(found.codes[:_CODES], found.frequencies, strict=False)
    ]


def _heat(row: RankedSystem, found: SystemRanking) -> dict[str, Any]:
    cells = []
    for f1, code in zip(row.f1[:_CODES], found.codes[:_CODES], strict=True):
        is_barred = not row.is_human and code in found.outside
        says = "outside the label space" if is_barred else f"F1 {f1:.2f}"
        cells.append(
            {
                "share": round(100 * f1),
                "title": f"{row.name}, {code.value}: {says}",
                "is_barred": is_barred,
            }
        )
    return {"name": row.name, "is_human": row.is_human, "cells": cells}
