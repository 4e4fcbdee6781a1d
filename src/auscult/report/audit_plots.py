"""Figures of an audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from markupsafe import Markup

from auscult.audit.alignment import RankedWord
from auscult.audit.frequency import Frequency
from auscult.audit.sensitivity import WordScore
from auscult.report.plots import ACCENT, GRAY, OTHER, Floats, draw


def ranked_bars(words: Sequence[WordScore], marked: Mapping[str, str]) -> Markup:
    """A bar for each word, the most sensitive first, with its interval; some hatched."""
    with draw(6.4, 0.8 + 0.24 * len(words)) as drawing:
        axes = drawing.axes
        places = np.arange(len(words))
        values = [word.score.value or 0.0 for word in words]
        colors = [OTHER if word.word in marked else ACCENT for word in words]
        hatches = ["////" if word.word in marked else "" for word in words]
        axes.barh(
            places, values, color=colors, alpha=0.75, height=0.7, hatch=hatches, edgecolor="white"
        )
        for place, word in zip(places, words, strict=True):
            if word.score.interval is not None:
                axes.plot(word.score.interval, [place, place], color=GRAY, linewidth=1.4)
        axes.set_yticks(places, [word.word for word in words])
        axes.set(ylim=(len(words) - 0.4, -0.6), xlabel="mean change in score", xlim=(0, None))
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
    return drawing.svg


def rank_scatter(words: Sequence[RankedWord], named: Sequence[RankedWord]) -> Markup:
    """A point for each word: its rank by model over its rank by clinicians."""
    most = max((max(one.model, one.clinicians) for one in words), default=1.0)
    with draw(5.4, 5.0) as drawing:
        axes = drawing.axes
        axes.plot([1, most], [1, most], color=GRAY, linewidth=1, linestyle="--")
        names = {one.word for one in named}
        for kept, color, marker in ((False, ACCENT, "o"), (True, OTHER, "^")):
            some = [one for one in words if (one.word in names) is kept]
            across, up = [one.clinicians for one in some], [one.model for one in some]
            axes.plot(across, up, marker, color=color, markersize=6, alpha=0.75)
        for one in named:
            # The axis runs from right to left, so that what matters most is at the top right.
            is_left = one.clinicians > most / 2
            axes.annotate(
                one.word, (one.clinicians, one.model), (6 if is_left else -6, -3),
                textcoords="offset points", fontsize=8, ha="left" if is_left else "right",
            )  # fmt: skip
        edge = (most + most * 0.04, 1 - most * 0.04)
        axes.set(xlim=edge, ylim=edge)
        axes.set(xlabel="rank by clinicians (1 is most important)", ylabel="rank by model")
    return drawing.svg


def before_and_after(before: Floats, after: Floats, threshold: float | None) -> Markup:
    """A line for each chart, from its score to the mean of its scores without the word."""
    order = np.argsort(before, kind="stable")
    places = np.arange(len(order))
    with draw(5.4, 3.6) as drawing:
        axes = drawing.axes
        axes.vlines(places, before[order], after[order], color=GRAY, linewidth=0.8, alpha=0.8)
        axes.plot(places, before[order], ".", color=ACCENT, markersize=6, label="with the word")
        axes.plot(places, after[order], "_", color=OTHER, markersize=7, label="replaced")
        if threshold is not None:
            axes.axhline(threshold, color=GRAY, linewidth=1, linestyle="--")
        axes.legend(loc="upper left")
        axes.set(xlabel="charts, by score", ylabel="score", xticks=[])
    return drawing.svg


def two_models(first: Sequence[float], second: Sequence[float], words: Sequence[str],
               names: tuple[str, str]) -> Markup:  # fmt: skip
    """A line for each word from its rank by one model to its rank by another."""
    size = len(words)
    with draw(5.4, 1.0 + 0.24 * size) as drawing:
        axes = drawing.axes
        for one, other, word in zip(first, second, words, strict=True):
            far = abs(one - other) > size / 3
            axes.plot([0, 1], [one, other], "o-", color=OTHER if far else ACCENT, markersize=4,
                      linewidth=1.4 if far else 0.9, alpha=0.9 if far else 0.5)  # fmt: skip
            axes.annotate(word, (0, one), (-8, -3), textcoords="offset points", fontsize=8,
                          ha="right")  # fmt: skip
            axes.annotate(word, (1, other), (8, -3), textcoords="offset points", fontsize=8)
        axes.set(xlim=(-0.7, 1.7), ylim=(size + 0.8, 0.2), yticks=[])
        axes.set_xticks([0, 1], names)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
    return drawing.svg


def rank_by_frequency(found: Sequence[Frequency]) -> Markup:
    """The rank of each word by its frequency, for each replacement strategy."""
    with draw(5.4, 3.6) as drawing:
        axes = drawing.axes
        for one, color, marker in zip(found, (ACCENT, OTHER), ("o", "^"), strict=False):
            label = f"{one.name}, r = {one.pearson.value:.2f}" if one.pearson.value else one.name
            axes.plot(one.counts, one.ranks, marker, color=color, alpha=0.75, label=label)
        axes.set_xscale("log")
        axes.invert_yaxis()
        axes.legend(loc="best")
        axes.set(xlabel="occurrences of the word", ylabel="rank (1 is most sensitive)")
    return drawing.svg
