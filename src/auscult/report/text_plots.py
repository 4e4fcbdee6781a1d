"""Plots for synthetic text: similarity of pairs, and odds ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from markupsafe import Markup

from auscult.report.plots import ACCENT, GRAY, OTHER, Floats, draw

_LOOKS = ((ACCENT, "-", "o"), (OTHER, "--", "^"))
"""Distinguishable without color, too."""
Interval = tuple[float, float, float]
"""A value with the bounds of its interval."""


def histograms(values: Mapping[str, Floats], label: str, bins: int = 25) -> Markup:
    """Histograms of values between 0 and 1, each kind as an outline over the others."""
    with draw(5, 3.0) as drawing:
        axes = drawing.axes
        edges = np.linspace(0, 1, bins + 1)
        for (name, column), (color, line, _) in zip(values.items(), _LOOKS, strict=False):
            axes.stairs(
                np.histogram(np.clip(column, 0, 1), edges)[0] / max(1, len(column)),
                edges, label=name, color=color, linestyle=line, linewidth=2, fill=False,
            )  # fmt: skip
        axes.legend(loc="best")
        axes.set(xlim=(0, 1), xlabel=label, ylabel="fraction of pairs")
        axes.set_ylim(bottom=0)
    return drawing.svg


def forest(rows: Sequence[tuple[str, Interval, Interval]], names: tuple[str, str]) -> Markup:
    """Ratios with their intervals on a logarithmic axis, two for each row, one above the other.

    There is at least one row.
    """
    with draw(6.2, 0.8 + 0.34 * len(rows)) as drawing:
        axes = drawing.axes
        axes.axvline(1.0, color=GRAY, linewidth=1)
        for which, (name, (color, _, marker), aside) in enumerate(
            zip(names, _LOOKS, (-0.14, 0.14), strict=True), 1
        ):
            middle, low, high = (np.array([row[which][n] for row in rows]) for n in range(3))
            axes.errorbar(
                middle, np.arange(len(rows)) + aside, xerr=[middle - low, high - middle],
                fmt=marker, markersize=4.5, color=color, linewidth=1.6, label=name,
            )  # fmt: skip
        axes.set_yticks(np.arange(len(rows)), [row[0] for row in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("")
        axes.set(xlabel="odds ratio")
        axes.legend(loc="upper left", bbox_to_anchor=(0, -0.6 / len(rows) - 0.02), ncols=2)
    return drawing.svg
