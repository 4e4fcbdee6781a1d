"""Plots as SVG to put into a page: no axes that lie, colors that work on light and dark."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from auscult.statistics.calibration import bins

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
ACCENT, OTHER, GRAY = "#0b8a86", "#c2571a", "#7b8794"
_NAMED = 3
_LABEL = (0.2, 0.03)
_LOW = 0.06
"""A share this small is drawn so near the axis that a number below it would be across it."""
"""Width and height that a name takes, as shares of what the points take."""
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "auscult",  # the same plot gives the same bytes
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": GRAY,
    "axes.labelcolor": GRAY,
    "axes.edgecolor": GRAY,
    "xtick.color": GRAY,
    "ytick.color": GRAY,
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
def draw(width: float, height: float) -> Iterator[_Drawing]:
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
    with draw(5, 3.6) as drawing:
        axes = drawing.axes
        axes.step(recall, precision, where="post", color=ACCENT, linewidth=2)
        for f1 in (0.2, 0.4, 0.6, 0.8):
            line = np.linspace(f1 / 2 + 1e-3, 1, 200)
            axes.plot(line, f1 * line / (2 * line - f1), color=GRAY, linewidth=0.6, alpha=0.5)
            axes.annotate(f"F1 {f1}", (1, f1 / (2 - f1)), fontsize=7, ha="right", va="bottom")
        if at is not None:
            axes.plot(at[1], at[0], "o", color=OTHER, markersize=8, label=label)
            axes.legend(loc="lower left")
        axes.set(xlim=(0, 1.005), ylim=(0, 1.02), xlabel="recall", ylabel="precision")
    return drawing.svg


def calibration(scores: Floats, gold: npt.NDArray[np.bool_]) -> Markup:
    """The calibration curve: on the diagonal, a score is a probability."""
    with draw(5, 3.6) as drawing:
        axes = drawing.axes
        axes.plot([0, 1], [0, 1], color=GRAY, linewidth=1, linestyle="--", label="calibrated")
        held = bins(scores, gold)
        mean, right = [one.score for one in held], [one.right for one in held]
        axes.plot(mean, right, "o-", color=ACCENT, linewidth=2, label="this model")
        for one in held:
            aside = (5, -11) if one.right > _LOW else (3, 6)  # not into the axis
            axes.annotate(
                f"{one.size:,}", (one.score, one.right), aside, textcoords="offset points",
                fontsize=7,
            )  # fmt: skip
        axes.legend(loc="upper left")
        axes.set(xlim=(0, 1), ylim=(0, 1.04), xlabel="mean score", ylabel="fraction correct")
    return drawing.svg


def scatter(
    systems: Sequence[tuple[str, float, float]],
    humans: Sequence[tuple[str, float, float]],
    names: tuple[str, str],
) -> Markup:
    """A point for each system and a named one for each person: two metrics against each other.

    The first systems are named as well, as far as there is room. There is at least one point.
    """
    with draw(6.4, 4.6) as drawing:
        axes = drawing.axes
        for points, color, marker, label in (
            (systems, ACCENT, "o", "system"),
            (humans, OTHER, "^", "human coder"),
        ):
            if points:
                _, across, up = (list(column) for column in zip(*points, strict=True))
                axes.plot(across, up, marker, color=color, markersize=7, alpha=0.7, label=label)
        taken = np.array([point[1:] for point in (*systems, *humans)])
        spread = np.ptp(taken, axis=0)
        for at, (name, x, y) in enumerate((*humans, *systems[:_NAMED])):
            side = _free_side(np.array([x, y]), taken, np.where(spread > 0, spread, 1))
            if side is None and at >= len(humans):
                continue
            aside = (0, 7) if side is None else (7 * side, -3)
            edge = {None: "center", 1: "left", -1: "right"}[side]
            axes.annotate(name, (x, y), aside, textcoords="offset points", ha=edge, fontsize=8)
            parts = (side or 0) * np.array([0.3, 0.6, 0.9]) * _LABEL[0] * spread[0]
            taken = np.concatenate([taken, [(x + part, y) for part in parts]])
        if humans and systems:
            axes.legend(loc="lower right")
        axes.margins(x=0.18, y=0.08)
        axes.set(xlabel=names[0], ylabel=names[1])
    return drawing.svg


def _free_side(place: Floats, taken: Floats, spread: Floats) -> int | None:
    """On which side of a point there is room for its name: right (1), left (-1) or neither."""
    for side in (1, -1):
        right, up = ((taken - place) / spread / np.array([side, 1])).T
        if not ((right > 0.01) & (right < _LABEL[0]) & (np.abs(up) < _LABEL[1])).any():
            return side
    return None


def matrix(names: Sequence[str], values: Floats) -> Markup:
    """A number for each pair of names as a colored cell; NaN is left blank, as the diagonal is."""
    size = len(names)
    with draw(1.6 + 0.9 * size, 0.9 + 0.7 * size) as drawing:
        from matplotlib.colors import LinearSegmentedColormap

        axes = drawing.axes
        # Opaque and light from end to end, so that dark figures can be read in all cells.
        shades = LinearSegmentedColormap.from_list("agreement", ["#e4f3f1", "#57b5af"])
        axes.pcolormesh(np.ma.masked_invalid(values), cmap=shades, vmin=0, vmax=1)
        for (row, column), value in np.ndenumerate(values):
            if not np.isnan(value):
                place = (column + 0.5, row + 0.5)
                axes.annotate(f"{value:.2f}", place, ha="center", va="center", color="#16302f")
        middle = np.arange(size) + 0.5
        axes.set_xticks(middle, names, rotation=0 if size < 6 else 45)
        axes.set_yticks(middle, names)
        axes.invert_yaxis()
        axes.grid(visible=False)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    return drawing.svg
