"""The numbers of a printed table in its own layout, each beside the measured one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from auscult.reproduce.contract import Measured, Printed
from auscult.reproduce.verdict import ClaimVerdict, Kind, Verdict, is_inside, number_verdict

MARKS: dict[Verdict | ClaimVerdict, str] = {
    Verdict.IN_BAND: "✓", Verdict.TOO_LOW: "↓", Verdict.TOO_HIGH: "↑", Verdict.OPEN_DATA: "○",
    Verdict.STAND_IN: "≈", Verdict.SAME_SETTING: "=", Verdict.OTHER_SETTING: "≠",
    Verdict.NEEDS_DATA: "–", ClaimVerdict.HOLDS: "✓", ClaimVerdict.DIFFERS: "✗",
    ClaimVerdict.UNDECIDED: "?", ClaimVerdict.NOT_TESTED: "–",
}  # fmt: skip
Cell = dict[str, Any]


def side_by_side(published: Sequence[Printed], numbers: Mapping[str, Measured]) -> dict[str, Any]:
    """Columns and rows of cells; None where the paper has no number.

    What was measured, where it is not what the paper names, is said once for a column or a row if
    all of its numbers have it in common.
    """
    columns = list(dict.fromkeys(printed.column for printed in published))
    by_row: dict[str, dict[str, Cell]] = {}
    for printed in published:
        cell = _cell(printed, numbers.get(printed.key))
        by_row.setdefault(printed.row, {})[printed.column] = cell
    heads = [
        {
            "name": column,
            "by": _lifted(cells[column] for cells in by_row.values() if column in cells),
        }
        for column in columns
    ]
    rows = [
        {
            "name": name,
            "by": _lifted(cells.values()),
            "cells": [cells.get(column) for column in columns],
        }
        for name, cells in by_row.items()
    ]
    return {"columns": heads, "rows": rows}


def _lifted(cells: Iterable[Cell]) -> str:
    """What all measured numbers were measured by, which they then no longer say themselves."""
    measured = [cell for cell in cells if cell["measured"]]
    names = {cell["by"] for cell in measured}
    if len(names) != 1:
        return ""
    for cell in measured:
        cell["by"] = ""
    return str(names.pop() or "")


def _cell(printed: Printed, measured: Measured | None) -> dict[str, Any]:
    verdict = number_verdict(printed, measured)
    is_judged = verdict.kind is Kind.PAPER_DATA
    inside = is_inside(printed, measured)
    value = None if measured is None else measured.value
    return {
        "published": _shown(printed.value, printed.style, printed.spread),
        "measured": None
        if measured is None or value is None
        else _shown(value, _style(printed, value), measured.spread),
        "by": (measured.by or "") if measured is not None and value is not None else "",
        "interval": _interval(printed, measured),
        "inside": "" if inside is None else f"paper {'inside' if inside else 'outside'}",
        "band": _band(printed) if is_judged and printed.within else "",
        "verdict": verdict.value,
        "kind": css_class(verdict),
        "mark": MARKS[verdict],
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
    if measured is None or measured.interval is None or not measured.is_known:
        return ""
    low, high = (f"{edge:{_style(printed, edge)}}" for edge in measured.interval)
    return f"95% {low} to {high}"


def _band(printed: Printed) -> str:
    low, high = printed.value - printed.within, printed.value + printed.within
    style = ".4g" if printed.style.endswith("g") else printed.style
    return f"{low:{style}} to {high:{style}}"


def css_class(one: Verdict | ClaimVerdict) -> str:
    """The class of a verdict in the style sheet."""
    return one.value.replace(" ", "-")
