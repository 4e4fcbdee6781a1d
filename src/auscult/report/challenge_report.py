"""A challenge's result as one page: the ranking, two measures against each other, every code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from auscult.codes import describe
from auscult.core import Measure
from auscult.evaluate.standings import MACRO, Analysis, Standing, Standings
from auscult.report import plots, shown
from auscult.report.page import write_page
from auscult.statistics.pairwise import letters

_CODES = 60
_PAIRS = 12


def challenge_report(
    found: Standings,
    analysis: Analysis,
    out: Path,
    *,
    name: str,
    attempts: Mapping[str, int] | None = None,
    home: str = "",
) -> None:
    """Write the page, with a way back to `home` if there is one. It quotes no note.

    `attempts` says how many a team took, where that is known.
    """
    low, high = _extent(found.rows)
    apart = _from_first(analysis)
    definitions = found.rows[0].measures.values() if found.rows else ()
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
        measures=[(measure.name, measure.definition) for measure in definitions],
    )


def _lead(found: Standings) -> str:
    people = f" and {len(found.humans)} people" if found.humans else ""
    return (
        f"{len(found.systems)} systems{people} on {found.charts:,} documents with "
        f"{sum(found.frequencies):,} codes, {len(found.codes):,} of them different. Ranked by "
        "micro-F1. Intervals are 95%, from resampled documents."
    )


def _tiles(found: Standings, attempts: Mapping[str, int]) -> list[tuple[str, str, str]]:
    values = [row.measures["micro_f1"].value or 0.0 for row in found.systems]
    tiles = []
    if values:
        best = found.systems[0]
        first = best.measures["micro_f1"]
        tiles.append((f"micro-F1 of {best.name}", shown.value(first), shown.interval(first)))
        spread = f"SD {stdev(values):.3f}" if len(values) > 1 else ""
        tiles.append(("mean micro-F1", f"{fmean(values):.3f}", spread))
        tiles.append(("lowest micro-F1", f"{min(values):.3f}", ""))
    if found.humans:
        person = found.humans[0]
        measure = person.measures["micro_f1"]
        tiles.append((f"{person.name}, best person", shown.value(measure), shown.interval(measure)))
        ahead = sum(value > (measure.value or 0.0) for value in values)
        if values:
            tiles.append((f"systems ahead of {person.name}", f"{ahead} of {len(values)}", ""))
    if attempts:
        mean = fmean(attempts.values())
        tiles.append(("attempts of a team, mean", f"{mean:.2f}", ""))
    return tiles


def _extent(rows: Sequence[Standing]) -> tuple[float, float]:
    """The part of the scale from 0 to 1 that the intervals take, in tenths."""
    edges = [edge for row in rows for edge in _edges(row.measures["micro_f1"])]
    low, high = floor(10 * min(edges, default=0)) / 10, ceil(10 * max(edges, default=1)) / 10
    return low, max(high, low + 0.1)


def _edges(measure: Measure) -> tuple[float, float]:
    value = measure.value or 0.0
    return measure.interval or (value, value)


def _row(
    row: Standing,
    apart: Mapping[str, str],
    attempts: Mapping[str, int],
    low: float,
    high: float,
) -> dict[str, Any]:
    measure = row.measures["micro_f1"]

    def place(value: float) -> float:
        return round(100 * (value - low) / (high - low), 2)

    begin, end = _edges(measure)
    return {
        "is_human": row.is_human,
        "rank": "–" if row.rank is None else str(row.rank),
        "ranks": "" if row.ranks is None else "{}–{}".format(*row.ranks),
        "name": row.name,
        "micro": shown.value(measure),
        "interval": shown.interval(measure),
        "at": place(measure.value or 0.0),
        "begin": place(begin),
        "width": round(place(end) - place(begin), 2),
        "precision": shown.value(row.measures["micro_precision"]),
        "recall": shown.value(row.measures["micro_recall"]),
        "macro": shown.value(row.measures[MACRO]),
        "cost": shown.value(row.measures["cost_sensitive"]),
        "given": f"{row.counts.tp + row.counts.fp:,}",
        "apart": apart.get(row.name, ""),
        "attempts": attempts.get(row.name, ""),
    }


def _scatter(found: Standings) -> Any:
    def points(rows: Sequence[Standing]) -> list[tuple[str, float, float]]:
        return [
            (
                row.name,
                row.measures["micro_f1"].value or 0.0,
                row.measures["cost_sensitive"].value or 0.0,
            )
            for row in rows
        ]

    return plots.scatter(
        points(found.systems), points(found.humans), ("micro-F1", "cost-sensitive score")
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
    """Whether each system can be told from the first."""
    return {
        analysis.names[pair.second]: "yes" if pair.differs else "no"
        for pair in analysis.pairs
        if pair.first == 0
    }


def _summary(analysis: Analysis) -> str:
    """How far down the ranking the first system cannot be told from."""
    if not analysis.pairs:
        return ""
    alike = sum(pair.first == 0 and not pair.differs for pair in analysis.pairs)
    different = sum(pair.differs for pair in analysis.pairs)
    return (
        f"{different:,} of {len(analysis.pairs):,} pairs of systems can be told apart at 0.05. "
        f"The first, {analysis.names[0]}, cannot be told from {alike} of the other "
        f"{len(analysis.names) - 1}."
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


def _outside(found: Standings) -> str:
    """How far codes that no system may give keep all of them from 1."""
    if not found.outside:
        return ""
    beyond = set(found.outside)
    times = sum(n for code, n in zip(found.codes, found.frequencies, strict=True) if code in beyond)
    return (
        f"{len(beyond):,} of the {len(found.codes):,} codes, {times:,} of the "
        f"{sum(found.frequencies):,} times one is right, are not in the label set: no system may "
        "give them, and all are held to them. "
        f"The highest micro-F1 that a system can have is {found.ceiling or 0:.3f}. People are free "
        "to give them."
    )


def _codes(found: Standings) -> list[dict[str, Any]]:
    return [
        {
            "value": code.value,
            "title": f"{code} {describe(code) or ''}: {number:,} documents"
            + (", outside the label set" if code in found.outside else ""),
            "is_outside": code in found.outside,
        }
        for code, number in zip(found.codes[:_CODES], found.frequencies, strict=False)
    ]


def _heat(row: Standing, found: Standings) -> dict[str, Any]:
    cells = []
    for f1, code in zip(row.f1[:_CODES], found.codes[:_CODES], strict=True):
        is_barred = not row.is_human and code in found.outside
        says = "may not be given" if is_barred else f"F1 {f1:.2f}"
        cells.append(
            {
                "share": round(100 * f1),
                "title": f"{row.name}, {code.value}: {says}",
                "is_barred": is_barred,
            }
        )
    return {"name": row.name, "is_human": row.is_human, "cells": cells}
