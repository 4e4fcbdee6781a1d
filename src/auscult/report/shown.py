"""Measures as pages and tables show them."""

from __future__ import annotations

from auscult.core import Measure


def number(value: float | None, style: str = ".3f") -> str:
    """The number, or a dash where there is none."""
    return "–" if value is None else f"{value:{style}}"


def value(measure: Measure) -> str:
    """The measure's number, or a dash where it is undefined."""
    return number(measure.value)


def interval(measure: Measure, style: str = ".3f") -> str:
    """From where to where, or nothing."""
    if measure.interval is None:
        return ""
    begin, end = measure.interval
    return f"{begin:{style}} to {end:{style}}"
