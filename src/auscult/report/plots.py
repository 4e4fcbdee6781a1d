"""Plots as SVG to put into a page: no axes that lie, colours that work on light and dark."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
_ACCENT, _OTHER, _GREY = "#0b8a86", "#c2571a", "#7b8794"
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "auscult",  # the same plot gives the same bytes
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": _GREY,
    "axes.labelcolor": _GREY,
    "axes.edgecolor": _GREY,
    "xtick.color": _GREY,
    "ytick.color": _GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#7b879433",
    "legend.frameon": False,
}


class _Drawing:
    """An axis to draw on and, once drawn, its SVG."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes
        self.svg = Markup("")


@contextmanager
def _drawing(width: float, height: float) -> Iterator[_Drawing]:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(width, height), layout="constrained")
        figure.patch.set_alpha(0)
        drawing = _Drawing(figure.add_subplot())
        drawing.axes.patch.set_alpha(0)
        yield drawing
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    made = stream.getvalue()
    drawing.svg = Markup(made[made.index("<svg") :])


def precision_recall(
    precision: Floats, recall: Floats, at: tuple[float, float] | None, label: str
) -> Markup:
    """The curve of precision over recall, with the point where the threshold lies."""
    with _drawing(5, 3.6) as drawing:
        axes = drawing.axes
        axes.step(recall, precision, where="post", color=_ACCENT, linewidth=2)
        for f1 in (0.2, 0.4, 0.6, 0.8):
            line = np.linspace(f1 / 2 + 1e-3, 1, 200)
            axes.plot(line, f1 * line / (2 * line - f1), color=_GREY, linewidth=0.6, alpha=0.5)
            axes.annotate(f"F1 {f1}", (1, f1 / (2 - f1)), fontsize=7, ha="right", va="bottom")
        if at is not None:
            axes.plot(at[1], at[0], "o", color=_OTHER, markersize=8, label=label)
            axes.legend(loc="lower left")
        axes.set(xlim=(0, 1.005), ylim=(0, 1.02), xlabel="recall", ylabel="precision")
    return drawing.svg


def calibration(scores: Floats, gold: npt.NDArray[np.bool_]) -> Markup:
    """How often codes of a score are right: on the diagonal a score is a probability."""
    with _drawing(5, 3.6) as drawing:
        axes = drawing.axes
        axes.plot([0, 1], [0, 1], color=_GREY, linewidth=1, linestyle="--", label="calibrated")
        points = calibration_points(scores, gold)
        said, right, sizes = (list(column) for column in zip(*points, strict=True))
        axes.plot(said, right, "o-", color=_ACCENT, linewidth=2, label="this coder")
        for x, y, size in zip(said, right, sizes, strict=True):
            axes.annotate(f"{size:,}", (x, y), (5, -11), textcoords="offset points", fontsize=7)
        axes.legend(loc="upper left")
        axes.set(xlim=(0, 1), ylim=(0, 1.04), xlabel="mean score", ylabel="share that is right")
    return drawing.svg


def calibration_points(
    scores: Floats, gold: npt.NDArray[np.bool_], bins: int = 10
) -> list[tuple[float, float, int]]:
    """Mean score, share of right ones and size of the bins that hold any, lowest scores first.

    >>> calibration_points(np.array([0.2, 0.4, 0.8, 1.0]), np.array([0, 1, 1, 1], bool), 2)
    [(0.3, 0.5, 2), (0.9, 1.0, 2)]
    """
    places = np.minimum((scores * bins).astype(int), bins - 1)
    found = []
    for at in np.unique(places):
        part = places == at
        mean = round(float(scores[part].mean()), 6)
        found.append((mean, float(gold[part].mean()), int(part.sum())))
    return found


def matrix(names: Sequence[str], values: Floats) -> Markup:
    """A number for each pair of names as a coloured cell; NaN is left blank, as the diagonal is."""
    size = len(names)
    with _drawing(1.6 + 0.9 * size, 0.9 + 0.7 * size) as drawing:
        from matplotlib.colors import LinearSegmentedColormap

        axes = drawing.axes
        # Opaque from end to end, so that dark and white figures can be read on any page.
        shades = LinearSegmentedColormap.from_list("agreement", ["#e4f3f1", "#0b6e6e"])
        axes.pcolormesh(np.ma.masked_invalid(values), cmap=shades, vmin=0, vmax=1)
        for (row, column), value in np.ndenumerate(values):
            if not np.isnan(value):
                colour = "white" if value > 0.55 else "#16302f"
                place = (column + 0.5, row + 0.5)
                axes.annotate(f"{value:.2f}", place, ha="center", va="center", color=colour)
        middle = np.arange(size) + 0.5
        axes.set_xticks(middle, names, rotation=0 if size < 6 else 45)
        axes.set_yticks(middle, names)
        axes.invert_yaxis()
        axes.grid(visible=False)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    return drawing.svg
