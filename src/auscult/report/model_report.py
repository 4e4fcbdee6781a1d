"""Predictions against gold as one page: metrics, error analysis, example charts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.codes import describe
from auscult.core import Annotation, Code, Metric, Note, Status
from auscult.core.counts import Counts
from auscult.core.segments import segments
from auscult.corpus import Chart
from auscult.evaluate import CodesResult, EvidenceResult
from auscult.evaluate.evidence import WAYS
from auscult.evaluate.metrics import micro
from auscult.evaluate.outcomes import Outcomes
from auscult.experiment import Assessment
from auscult.report import metric_format, plots
from auscult.report.page import write_page
from auscult.statistics.calibration import calibration_error

_CODES_SHOWN = 40
_QUOTES = 3
_LEAST_SCORE = 0.1
"""The calibration error only counts scores from here on: most scores are near 0, and rightly."""
_NO_TEXT = "(in a note without text)"
_BOTH, _GOLD, _MODEL = "both", "gold", "model"


def model_report(
    found: Assessment,
    out: Path,
    *,
    about: Mapping[str, str],
    title: str,
    charts: int = 8,
    shows_text: str,
    remark: str = "",
    home: str = "",
) -> None:
    """Write the page, with a way back to `home` and a `remark` below the lead if there are any.

    It quotes notes, so `shows_text` must say whose they are.
    """
    outcomes = found.codes.outcomes
    is_ranked = outcomes.no_ranking is None
    write_page(
        out,
        "model.html",
        made=dict(about),
        shows_text=shows_text,
        home=home,
        title=title,
        lead=_lead(found),
        remark=remark,
        tiles=_tiles(found),
        curve=_curve(found) if is_ranked else None,
        calibration=_calibration(outcomes) if is_ranked else None,
        why=outcomes.no_ranking,
        metrics=[_metric_row(m) for m in found.codes.metrics.values()],
        evidence=_evidence_rows(found.evidence),
        was_asked=found.evidence.was_asked,
        bands=_group_rows(found.codes, found.codes.by_band),
        chapters=_group_rows(found.codes, found.codes.by_chapter),
        codes=_code_rows(outcomes),
        charts=[_chart(gold, model) for gold, model in _telling(found, charts)],
    )


def _lead(found: Assessment) -> str:
    outcomes, model = found.codes.outcomes, found.model
    lead = f"{outcomes.charts:,} charts with {int(outcomes.gold.sum()):,} gold codes"
    if model is not None:
        lead += f"; the model's label space has {model.known:,} codes"
    lead += ". 95% confidence intervals from a bootstrap over charts."
    if model is not None and model.seen:
        lead += (
            f" The model was trained or tuned on {model.seen:,} of these charts, so the results "
            "are too optimistic."
        )
    return lead


def _tiles(found: Assessment) -> list[tuple[str, str, str]]:
    evidence = found.evidence
    chosen = [
        (f"code {micro.F1.label}", found.codes.metrics[micro.F1.name]),
        ("evidence token F1, code known", evidence.oracle["token"].f1),
        ("evidence span F1, code known", evidence.oracle["span"].f1),
        ("token F1 end to end", evidence.metrics["token"].f1),
        ("span F1 end to end", evidence.metrics["span"].f1),
    ]
    return [
        (name, metric_format.value(metric), metric_format.interval(metric))
        for name, metric in chosen
    ]


def _curve(found: Assessment) -> Any:
    outcomes, counts = found.codes.outcomes, found.codes.micro.counts
    has_score = ~np.isnan(outcomes.score)
    scores, gold = outcomes.score[has_score], outcomes.gold[has_score]
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(gold[order])
    last = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
    precision, recall = hits[last] / (last + 1), hits[last] / max(1, int(outcomes.gold.sum()))
    at = None
    if counts is not None and counts.precision is not None and counts.recall is not None:
        at = (counts.precision, counts.recall)
    label = "predictions" if found.model is None else f"threshold {found.model.threshold:.2f}"
    return plots.precision_recall(precision, recall, at, label)


def _calibration(outcomes: Outcomes) -> dict[str, Any]:
    """The calibration plot and the expected calibration error."""
    has_score = ~np.isnan(outcomes.score)  # a code outside the model's label space has none
    scores, gold = outcomes.score[has_score], outcomes.gold[has_score]
    error = calibration_error(scores, gold, least=_LEAST_SCORE)
    return {
        "plot": plots.calibration(scores, gold),
        "error": None if error is None else f"{error:.3f}",
        "least": _LEAST_SCORE,
    }


def _metric_row(metric: Metric) -> dict[str, str]:
    return {
        "name": metric.name,
        "value": metric_format.value(metric),
        "interval": metric_format.interval(metric),
        "definition": metric.undefined or metric.definition,
    }


def _evidence_rows(found: EvidenceResult) -> list[dict[str, Any]]:
    rows = []
    for what, group in (("code known", found.oracle), ("end to end", found.metrics)):
        for way in WAYS:
            one = group[way.name]
            rows.append(
                {
                    "what": what,
                    "name": way.label,
                    "precision": metric_format.value(one.precision),
                    "recall": metric_format.value(one.recall),
                    "f1": metric_format.value(one.f1),
                    "interval": metric_format.interval(one.f1),
                }
            )
    return rows


def _group_rows(found: CodesResult, groups: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "codes": found.codes_in[name],
            "gold": one.counts.tp + one.counts.fn,
            "precision": metric_format.value(one.precision),
            "recall": metric_format.value(one.recall),
            "f1": metric_format.value(one.f1),
            "share": round(100 * (one.f1.value or 0.0)),
        }
        for name, one in groups.items()
        if one.counts is not None and (one.counts.tp + one.counts.fn + one.counts.fp)
    ]


def _code_rows(outcomes: Outcomes) -> list[dict[str, Any]]:
    def by_code(which: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        return np.bincount(outcomes.code[which], minlength=len(outcomes.codes))

    tp = by_code(outcomes.gold & outcomes.predicted)
    fp = by_code(~outcomes.gold & outcomes.predicted)
    fn = by_code(outcomes.gold & ~outcomes.predicted)
    order = np.argsort(-(tp + fn), kind="stable")[:_CODES_SHOWN]
    rows = []
    for at in order:
        counts = Counts(int(tp[at]), int(fp[at]), int(fn[at]))
        code = outcomes.codes[at]
        rows.append(
            {
                "system": code.system,
                "value": code.value,
                "description": describe(code) or "",
                "gold": counts.tp + counts.fn,
                "predicted": counts.tp + counts.fp,
                "precision": _ratio(counts.precision),
                "recall": _ratio(counts.recall),
                "f1": _ratio(counts.f1),
                "share": round(100 * (counts.f1 or 0.0)),
            }
        )
    return rows


def _telling(found: Assessment, most: int) -> list[tuple[Chart, Chart]]:
    """Charts with gold evidence, from the best to the worst predictions: gold and model."""
    pointed = {a.chart_id for a in found.gold.iter_annotations() if a.spans}
    f1 = {
        chart: 2 * tp / max(1, 2 * tp + fp + fn)
        for chart, (tp, fp, fn) in zip(
            found.codes.outcomes.chart_ids, found.codes.micro.per_chart, strict=True
        )
        if chart in pointed
    }
    ranked = sorted(f1, key=lambda chart: -f1[chart])
    chosen = [
        ranked[at] for at in np.linspace(0, len(ranked) - 1, min(most, len(ranked)), dtype=int)
    ]
    gold = {chart.chart_id: chart for chart in found.gold.charts(chosen)}
    model = {c.chart_id: c for c in found.predicted.charts(chosen, every_status=True)}
    return [(gold[chart], model[chart]) for chart in chosen]


def _chart(gold: Chart, model: Chart) -> dict[str, Any]:
    texts = {note.note_id: note.text for note in gold.notes if note.text is not None}
    given = [a for a in model.annotations if a.status is Status.GIVEN]
    named = {a.code: a.score for a in model.annotations}
    theirs, ours = _by_code(gold.annotations), _by_code(given)
    rows = [
        {
            "value": code.value,
            "system": code.system,
            "description": describe(code) or "",
            "who": _who(code in theirs, code in ours),
            "score": "" if named.get(code) is None else f"{named[code]:.2f}",
            "gold": _quotes(theirs.get(code, ()), texts),
            "model": _quotes(ours.get(code, ()), texts),
        }
        for code in sorted({*theirs, *ours}, key=lambda code: -(named.get(code) or 0.0))
    ]
    right = sum(row["who"] == _BOTH for row in rows)
    return {
        "chart_id": gold.chart_id,
        "right": right,
        "missed": sum(row["who"] == _GOLD for row in rows),
        "extra": sum(row["who"] == _MODEL for row in rows),
        "codes": rows,
        "notes": [
            made
            for note in gold.notes
            if (made := _note(note, gold.annotations, given)) is not None
        ],
    }


def _note(
    note: Note, gold: Sequence[Annotation], model: Sequence[Annotation]
) -> dict[str, Any] | None:
    """A note with the evidence of both sides; None when neither has any in it."""
    theirs = [a for a in gold if a.note_id == note.note_id and a.spans]
    ours = [a for a in model if a.note_id == note.note_id and a.spans]
    if note.text is None or not (theirs or ours):
        return None
    both = [*theirs, *ours]
    drawn = []
    for segment in segments(note.text, both):
        who = _who(
            any(n < len(theirs) for n in segment.on), any(n >= len(theirs) for n in segment.on)
        )
        values = dict.fromkeys(both[n].code.value for n in segment.ends)
        drawn.append({"text": segment.text, "who": who, "ends": list(values)})
    return {
        "note_id": note.note_id,
        "category": note.category or "Note",
        "gold": len(theirs),
        "model": len(ours),
        "segments": drawn,
    }


def _who(in_gold: bool, in_model: bool) -> str:
    return _BOTH if in_gold and in_model else _GOLD if in_gold else _MODEL if in_model else ""


def _by_code(annotations: Iterable[Annotation]) -> dict[Code, list[Annotation]]:
    found: dict[Code, list[Annotation]] = {}
    for annotation in annotations:
        found.setdefault(annotation.code, []).append(annotation)
    return found


def _quotes(annotations: Iterable[Annotation], texts: Mapping[str, str]) -> list[str]:
    quoted = dict.fromkeys(
        " ".join(span.of(texts[a.note_id]).split())
        if a.note_id is not None and a.note_id in texts
        else _NO_TEXT
        for a in annotations
        for span in a.spans
    )
    return list(quoted)[:_QUOTES]


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
