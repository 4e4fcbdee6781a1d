"""The result of reproductions as one page: what is printed beside what was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from auscult.report.page import write_page
from auscult.reproduce.contract import Basis, Measured, Printed
from auscult.reproduce.registry import PAPERS
from auscult.reproduce.run import Result, command
from auscult.reproduce.verdict import Shape, Verdict, judge

_MARKS: dict[Verdict | Shape, str] = {
    Verdict.REPRODUCED: "✓", Verdict.TOO_LOW: "↓", Verdict.TOO_HIGH: "↑", Verdict.STAND_IN: "≈",
    Verdict.NEEDS_DATA: "–", Shape.HOLDS: "✓", Shape.HOLDS_ON_STAND_IN: "≈✓", Shape.DIFFERS: "✗",
    Shape.DIFFERS_ON_STAND_IN: "≈✗", Shape.NOT_TESTED: "–",
}  # fmt: skip
_SAYS: dict[Verdict | Shape, str] = {
    Verdict.REPRODUCED: "measured on the paper's own data, or worked out from what it prints, and "
    "within the band that is allowed",
    Verdict.TOO_LOW: "the same, below the band",
    Verdict.TOO_HIGH: "the same, above the band: too good fails as well as too bad",
    Verdict.STAND_IN: "measured on something else of the same shape; the size is not compared",
    Verdict.NEEDS_DATA: "not measured; what it needs is said below the table",
    Shape.HOLDS_ON_STAND_IN: "a claim that is true of the printed numbers is true of the stand-in",
    Shape.DIFFERS_ON_STAND_IN: "a claim of the paper that the stand-in does not bear out",
}
_REAL = {
    Basis.PAPER: "Worked out from what the paper prints; no data are needed.",
    Basis.REAL: "Measured on the paper's own data.",
    Basis.PART: "Measured on an open part of the paper's own data.",
}
_OUTSIDE = (Verdict.TOO_LOW, Verdict.TOO_HIGH)


def reproduce_page(results: Sequence[Result], out: Path, *, home: str = "") -> None:
    """Write the page. It quotes no note."""
    verdicts = Counter(one for result in results for one in result.verdicts.values())
    shapes = Counter(one for result in results for one in result.shapes.values())
    outside = sum(verdicts[one] for one in _OUTSIDE)
    claims = sum(shapes.values())
    held = shapes[Shape.HOLDS] + shapes[Shape.HOLDS_ON_STAND_IN]
    minutes = sum(one.seconds for one in results) / 60
    busy = sum(one.processor for one in results) / 60
    write_page(
        out,
        "reproduce.html",
        made={
            "command": "auscult reproduce",
            "computed in": f"{minutes:.1f} minutes, {busy:.1f} of them of one processor",
            "versions": ", ".join(sorted({one.version for one in results})),
        },
        home=home,
        shows_text="",
        title="Published beside measured",
        lead=f"{len(results):,} tables and figures of the papers that "
        "Auscult follows, made again. A number is reproduced only on the data it was published "
        "for; where that is not given, a stand-in shows whether the same happens, and says so.",
        tiles=[
            ("tables and figures", f"{len(results):,}", ""),
            ("printed numbers", f"{sum(verdicts.values()):,}", ""),
            ("reproduced", f"{verdicts[Verdict.REPRODUCED]:,}", f"{outside:,} outside the band"),
            ("on a stand-in", f"{verdicts[Verdict.STAND_IN]:,}", ""),
            ("need data", f"{verdicts[Verdict.NEEDS_DATA]:,}", ""),
            ("claims that hold", f"{held:,} of {claims:,}",
             f"{shapes[Shape.HOLDS_ON_STAND_IN]:,} of them on a stand-in"),
        ],
        legend=[(_MARKS[one], one.value, _kind(one), says) for one, says in _SAYS.items()],
        papers=[
            {"cited": paper.cited, "rows": rows}
            for paper in PAPERS
            if (rows := [_row(r) for r in results if r.reproduction.paper == paper.name])
        ],
    )  # fmt: skip


def _row(result: Result) -> dict[str, Any]:
    one, found = result.reproduction, result.found
    verdicts = Counter(result.verdicts.values())
    shapes = result.shapes
    held = sum(shape in (Shape.HOLDS, Shape.HOLDS_ON_STAND_IN) for shape in shapes.values())
    columns = list(dict.fromkeys(printed.column for printed in one.published))
    bases = list(dict.fromkeys(m.basis for m in found.numbers.values())) if found else []
    return {
        "name": one.name,
        "label": one.label,
        "title": one.title,
        "failed": result.failed,
        "stand_in": result.stand_in,
        "basis": " + ".join(basis.value for basis in bases) or "not run",
        "real": " ".join(_REAL[basis] for basis in bases if basis in _REAL),
        "counts": {
            "all": len(one.published),
            "reproduced": verdicts[Verdict.REPRODUCED],
            "outside": sum(verdicts[outside] for outside in _OUTSIDE),
            "stand_in": verdicts[Verdict.STAND_IN],
            "needs_data": verdicts[Verdict.NEEDS_DATA],
            "claims": f"{held} of {len(shapes)}" if shapes else "",
        },
        "columns": columns,
        "grid": _grid(result, columns),
        "claims": [
            {"text": text, "shape": shape.value, "kind": _kind(shape), "mark": _MARKS[shape]}
            for text, shape in shapes.items()
        ],
        "figure": Markup(found.figure) if found and found.figure else None,
        "remarks": [*([one.remark] if one.remark else []), *(found.remarks if found else ())],
        "needs": one.needs,
        "command": command(result),
        "calls": one.calls,
        "used": found.used if found else (),
        "made": _made(result),
    }


def _made(result: Result) -> str:
    seeds = result.found.seeds if result.found else ()
    said = (
        f"in {result.seconds:.1f} s ({result.processor:.1f} s of processor time) by Auscult "
        f"{result.version}"
    )
    return f"{said}, seeds {', '.join(map(str, seeds))}" if seeds else said


def _grid(result: Result, columns: Sequence[str]) -> list[dict[str, Any]]:
    """The numbers as the paper lays them out, a cell for each."""
    by_row: dict[str, dict[str, Printed]] = {}
    for printed in result.reproduction.published:
        by_row.setdefault(printed.row, {})[printed.column] = printed
    numbers = result.found.numbers if result.found else {}
    return [
        {
            "name": name,
            "cells": [
                _cell(cells[column], numbers.get(cells[column].key)) if column in cells else None
                for column in columns
            ],
        }
        for name, cells in by_row.items()
    ]


def _cell(printed: Printed, measured: Measured | None) -> dict[str, Any]:
    verdict = judge(printed, measured)
    is_judged = verdict is Verdict.REPRODUCED or verdict in _OUTSIDE
    value = None if measured is None else measured.value
    return {
        "published": _shown(printed.value, printed.style, printed.spread),
        "measured": None
        if measured is None or value is None
        else _shown(value, _style(printed, value), measured.spread),
        "interval": _interval(printed, measured),
        "band": _band(printed) if is_judged and printed.within else "",
        "verdict": verdict.value,
        "kind": _kind(verdict),
        "mark": _MARKS[verdict],
        "why": (measured.undefined or "") if measured is not None else "",
    }


def _shown(value: float, style: str, spread: float | None) -> str:
    said = f"{value:{style}}"
    return said if spread is None else f"{said} ± {spread:{style}}"


def _style(printed: Printed, value: float) -> str:
    """As the paper prints it, with more digits where that would hide a small number."""
    if printed.style.endswith("f") and value and f"{value:{printed.style}}".strip("-0.") == "":
        return ".2g"
    if printed.style.endswith(".0f") and value != round(value) and abs(value) < 100:
        return ".1f"
    return printed.style


def _interval(printed: Printed, measured: Measured | None) -> str:
    if measured is None or measured.interval is None:
        return ""
    low, high = (f"{edge:{_style(printed, edge)}}" for edge in measured.interval)
    return f"95% {low} to {high}"


def _band(printed: Printed) -> str:
    low, high = printed.value - printed.within, printed.value + printed.within
    style = ".4g" if printed.style.endswith("g") else printed.style
    return f"{low:{style}} to {high:{style}}"


def _kind(one: Verdict | Shape) -> str:
    return one.value.replace(" ", "-")
