"""Reproductions as one page: published numbers beside measured ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from auscult.report.page import write_page
from auscult.reproduce.contract import Basis, Measured, Printed
from auscult.reproduce.registry import PAPERS
from auscult.reproduce.run import ReproductionResult, command
from auscult.reproduce.verdict import ClaimVerdict, Verdict, number_verdict

_MARKS: dict[Verdict | ClaimVerdict, str] = {
    Verdict.REPRODUCED: "✓", Verdict.TOO_LOW: "↓", Verdict.TOO_HIGH: "↑", Verdict.STAND_IN: "≈",
    Verdict.NEEDS_DATA: "–", ClaimVerdict.HOLDS: "✓", ClaimVerdict.HOLDS_ON_STAND_IN: "≈✓",
    ClaimVerdict.DIFFERS: "✗", ClaimVerdict.DIFFERS_ON_STAND_IN: "≈✗", ClaimVerdict.NOT_TESTED: "–",
}  # fmt: skip
_LEGEND: dict[Verdict | ClaimVerdict, str] = {
    Verdict.REPRODUCED: "measured on the paper's own data, or computed from its printed numbers, "
    "and within tolerance",
    Verdict.TOO_LOW: "measured on the paper's own data, below the tolerance",
    Verdict.TOO_HIGH: "measured on the paper's own data, above the tolerance: too good fails "
    "as well",
    Verdict.STAND_IN: "measured on stand-in data with the same structure; the values are not "
    "comparable",
    Verdict.NEEDS_DATA: "not measured; the required data is listed below the table",
    ClaimVerdict.HOLDS_ON_STAND_IN: "a claim of the paper that also holds on the stand-in data",
    ClaimVerdict.DIFFERS_ON_STAND_IN: "a claim of the paper that fails on the stand-in data",
}
_REAL = {
    Basis.PAPER: "Computed from numbers printed in the paper; no data needed.",
    Basis.REAL: "Measured on the paper's own data.",
    Basis.PART: "Measured on the openly available part of the paper's own data.",
}
_HELD = (ClaimVerdict.HOLDS, ClaimVerdict.HOLDS_ON_STAND_IN)
_OUTSIDE = (Verdict.TOO_LOW, Verdict.TOO_HIGH)


def reproduce_page(results: Sequence[ReproductionResult], out: Path, *, home: str = "") -> None:
    """Write the page. It quotes no note."""
    verdicts = Counter(one for result in results for one in result.verdicts.values())
    claim_verdicts = Counter(one for result in results for one in result.claim_verdicts.values())
    outside = sum(verdicts[one] for one in _OUTSIDE)
    claims = sum(claim_verdicts.values())
    held = sum(claim_verdicts[one] for one in _HELD)
    minutes = sum(one.seconds for one in results) / 60
    busy = sum(one.processor for one in results) / 60
    write_page(
        out,
        "reproduce.html",
        made={
            "command": "auscult reproduce",
            "computed in": f"{minutes:.1f} minutes ({busy:.1f} minutes of processor time)",
            "versions": ", ".join(sorted({one.version for one in results})),
        },
        home=home,
        shows_text="",
        title="Reproduction of published results",
        lead=f"{len(results):,} tables and figures of five papers. A number can only "
        "be reproduced on the data it was published for. Without that data, "
        "stand-in data shows whether the same effects occur.",
        tiles=[
            ("tables and figures", f"{len(results):,}", ""),
            ("published numbers", f"{sum(verdicts.values()):,}", ""),
            ("reproduced", f"{verdicts[Verdict.REPRODUCED]:,}", f"{outside:,} out of tolerance"),
            ("on stand-in data", f"{verdicts[Verdict.STAND_IN]:,}", ""),
            ("need data", f"{verdicts[Verdict.NEEDS_DATA]:,}", ""),
            ("claims supported", f"{held:,} of {claims:,}",
             f"{claim_verdicts[ClaimVerdict.HOLDS_ON_STAND_IN]:,} of them on stand-in data"),
        ],
        legend=[(_MARKS[one], one.value, _kind(one), says) for one, says in _LEGEND.items()],
        papers=[
            {"cited": paper.cited, "rows": rows}
            for paper in PAPERS
            if (rows := [_row(r) for r in results if r.reproduction.paper == paper.name])
        ],
    )  # fmt: skip


def _row(result: ReproductionResult) -> dict[str, Any]:
    one, found = result.reproduction, result.found
    verdicts = Counter(result.verdicts.values())
    claim_verdicts = result.claim_verdicts
    held = sum(verdict in _HELD for verdict in claim_verdicts.values())
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
            "claims": f"{held} of {len(claim_verdicts)}" if claim_verdicts else "",
        },
        "columns": columns,
        "grid": _grid(result, columns),
        "claims": [
            {
                "text": text,
                "verdict": verdict.value,
                "kind": _kind(verdict),
                "mark": _MARKS[verdict],
            }
            for text, verdict in claim_verdicts.items()
        ],
        "figure": Markup(found.figure) if found and found.figure else None,
        "remarks": [*([one.remark] if one.remark else []), *(found.remarks if found else ())],
        "needs": one.needs,
        "command": command(result),
        "calls": one.calls,
        "used": found.used if found else (),
        "made": _made(result),
    }


def _made(result: ReproductionResult) -> str:
    seeds = result.found.seeds if result.found else ()
    text = (
        f"in {result.seconds:.1f} s ({result.processor:.1f} s of processor time) by Auscult "
        f"{result.version}"
    )
    return f"{text}, seeds {', '.join(map(str, seeds))}" if seeds else text


def _grid(result: ReproductionResult, columns: Sequence[str]) -> list[dict[str, Any]]:
    """The numbers in the paper's layout, one cell each."""
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
    verdict = number_verdict(printed, measured)
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
    text = f"{value:{style}}"
    return text if spread is None else f"{text} ± {spread:{style}}"


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


def _kind(one: Verdict | ClaimVerdict) -> str:
    return one.value.replace(" ", "-")
