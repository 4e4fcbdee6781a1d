"""Formatting of metrics for pages and tables."""

from __future__ import annotations

from auscult.core import Metric


def number(value: float | None, style: str = ".3f") -> str:
    """The number, or a dash where there is none."""
    return "–" if value is None else f"{value:{style}}"


def value(metric: Metric) -> str:
    """The metric's number, or a dash where it is undefined."""
    return number(metric.value)


def interval(metric: Metric, style: str = ".3f") -> str:
    """From where to where, or nothing."""
    if metric.interval is None:
        return ""
    begin, end = metric.interval
    return f"{begin:{style}} to {end:{style}}"
