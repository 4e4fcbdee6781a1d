"""Two models on the same charts as one page: every metric of both, and whether they differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auscult.experiment import SystemComparison
from auscult.report import metric_format
from auscult.report.page import write_page
from auscult.statistics.significance import Comparison

_TILES = {
    "micro_f1": "code micro-F1",
    "oracle_token_f1": "evidence token F1, code known",
    "oracle_span_f1": "evidence span F1, code known",
    "token_f1": "token F1 end to end",
}
_SIGNED = "+z.3f"
_LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class ComparedModel:
    """One of the two models: its name, and the page about it alone if there is one."""

    name: str
    page: str = ""


def comparison_report(
    found: SystemComparison,
    out: Path,
    *,
    first: ComparedModel,
    second: ComparedModel,
    about: Mapping[str, str],
    title: str,
    remark: str = "",
    home: str = "",
) -> None:
    """Write the page, with a way back to `home` if there is one. It quotes no note.

    `remark` is a sentence for the reader below the lead.
    """
    every = {one.name: one for one in (*found.codes, *found.evidence)}
    write_page(
        out,
        "comparison.html",
        made=dict(about),
        shows_text="",
        home=home,
        title=title,
        lead=_lead(found, every, first.name, second.name),
        remark=remark,
        tiles=[_tile(every[name], label) for name, label in _TILES.items() if name in every],
        models=(first, second),
        parts=[
            ("Codes", _rows(found.codes)),
            ("Evidence", _rows(found.evidence)),
        ],
    )


def _lead(found: SystemComparison, every: Mapping[str, Comparison], first: str, second: str) -> str:
    charts = found.first.codes.outcomes.charts
    said = [
        f"{label}: {_verdict(every[name], first, second)}"
        for name, label in list(_TILES.items())[:2]
        if name in every
    ]
    return (
        f"{first} and {second} on the same {charts:,} charts. "
        f"{'. '.join(said)}. A difference is {first} minus {second}; its 95% interval is from "
        "paired resamples of the charts, its p-value from a randomization test."
    )


def _verdict(one: Comparison, first: str, second: str) -> str:
    """Which model is better, as far as these charts can tell."""
    difference, p_value = one.difference.value, one.p_value.value
    if difference is None or p_value is None:
        return "undefined"
    if p_value >= _LEVEL:
        return f"no significant difference (p = {p_value:.3f})"
    return f"{first if difference > 0 else second} is better by {abs(difference):.3f}"


def _tile(one: Comparison, label: str) -> tuple[str, str, str]:
    both = f"{metric_format.number(one.first)} vs {metric_format.number(one.second)}"
    difference = metric_format.number(one.difference.value, _SIGNED)
    return label, both, f"{difference} ({metric_format.interval(one.difference, _SIGNED)})"


def _rows(compared: Iterable[Comparison]) -> list[dict[str, Any]]:
    return [
        {
            "name": one.name,
            "first": metric_format.number(one.first),
            "second": metric_format.number(one.second),
            "difference": metric_format.number(one.difference.value, _SIGNED),
            "interval": metric_format.interval(one.difference, _SIGNED),
            "p_value": metric_format.value(one.p_value),
            "better": _better(one),
        }
        for one in compared
    ]


def _better(one: Comparison) -> str:
    """The side with the higher value where the difference is significant."""
    difference, p_value = one.difference.value, one.p_value.value
    if not difference or p_value is None or p_value >= _LEVEL:
        return ""
    return "first" if difference > 0 else "second"
