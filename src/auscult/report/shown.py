"""Measures as pages and tables show them."""

from __future__ import annotations

from auscult.core import Measure


def value(measure: Measure) -> str:
    """The number, or a dash where there is none."""
    return "–" if measure.value is None else f"{measure.value:.3f}"


def interval(measure: Measure) -> str:
    """From where to where, or nothing."""
    return "" if measure.interval is None else "{:.3f} to {:.3f}".format(*measure.interval)
