"""The learning curve of a project as one page: a figure and a table by batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

from auscult.core import Metric
from auscult.experiment.batch_curves import Batch, BatchCurve
from auscult.report import metric_format
from auscult.report.page import write_page
from auscult.report.plots import ACCENT, GRAY, OTHER, draw

_MOST_TICKS = 12


def curve_report(found: BatchCurve, out: Path, *, about: Mapping[str, str], title: str) -> None:
    """Write the page. It quotes no note."""
    last = found.batches[-1]
    write_page(
        out,
        "curve.html",
        made=dict(about),
        shows_text="",
        home="",
        title=title,
        lead=_lead(found),
        remark="",
        tiles=[
            (f"micro-F1 of {found.model}, trained, on the last batch", *_shown(last.trained)),
            ("micro-F1 of the code book alone on it", *_shown(last.codebook)),
            ("suggestions accepted in it", *_share(last)),
        ],
        model=found.model,
        plot=_plot(found),
        rows=[_row(one) for one in found.batches],
        undefined=_reasons(found),
    )


def _lead(found: BatchCurve) -> str:
    systems = " and ".join(found.systems) or "all code systems"
    return (
        f"{found.headline().capitalize()}, in the order in which "
        f"{' and '.join(found.annotators)} finished them; codes of {systems}. Before each batch, "
        f"{found.model} is trained on all charts finished before it and then codes the batch. No "
        "chart is coded by a model that was trained on it."
    )


def _shown(metric: Metric) -> tuple[str, str]:
    return metric_format.value(metric), metric_format.interval(metric)


def _share(one: Batch) -> tuple[str, str]:
    share = one.accepted_share.value
    return ("–", "") if share is None else (f"{share:.0%}", f"of {one.suggestions:,}")


def _row(one: Batch) -> dict[str, object]:
    return {
        "number": one.number,
        "charts": one.charts,
        "trained_on": one.trained_on,
        "trained": _shown(one.trained),
        "codebook": _shown(one.codebook),
        "suggestions": one.suggestions,
        "accepted": _share(one)[0],
        "corrected": one.corrected,
        "rejected": one.rejected,
    }


def _reasons(found: BatchCurve) -> list[tuple[str, str]]:
    """Why numbers are missing, each reason with its batches."""
    why: dict[str, list[int]] = {}
    for one in found.batches:
        for metric in (one.trained, one.codebook, one.accepted_share):
            if metric.undefined is not None:
                why.setdefault(metric.undefined, []).append(one.number)
    return [(", ".join(map(str, numbers)), reason) for reason, numbers in why.items()]


def _plot(found: BatchCurve) -> Markup:
    """Both models and the accepted share over the charts that were finished before."""
    with draw(7.2, 3.8) as drawing:
        axes = drawing.axes
        lines = (
            (f"{found.model}, trained", ACCENT, "o-", [one.trained for one in found.batches]),
            ("code book alone", OTHER, "s--", [one.codebook for one in found.batches]),
            ("suggestions accepted", GRAY, "^:", [one.accepted_share for one in found.batches]),
        )
        for label, color, style, metrics in lines:
            _line(axes, label, color, style, [one.trained_on for one in found.batches], metrics)
        axes.set_ylim(0, 1.02)
        axes.set_xlim(left=0)
        if len(found.batches) <= _MOST_TICKS:
            axes.set_xticks([one.trained_on for one in found.batches])
        axes.set_xlabel("charts finished before the batch")
        axes.set_ylabel("micro-F1; share accepted")
        if axes.get_legend_handles_labels()[0]:
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.16), ncols=3)
    return drawing.svg


def _line(
    axes: object,
    label: str,
    color: str,
    style: str,
    at: Sequence[int],
    metrics: Sequence[Metric],
) -> None:
    from matplotlib.axes import Axes

    assert isinstance(axes, Axes)  # matplotlib is imported when a plot is drawn
    points = [(x, one) for x, one in zip(at, metrics, strict=True) if one.value is not None]
    if not points:
        return
    values = [float(one) for _, one in points]
    axes.plot([x for x, _ in points], values, style, color=color, label=label, clip_on=False)
    for x, one in points:
        if one.interval is not None:
            axes.vlines(x, *one.interval, color=color, alpha=0.4)
