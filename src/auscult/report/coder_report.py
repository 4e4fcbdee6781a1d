"""A coder at work on a corpus, as one page: how right it is, where it errs, and charts to see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.coders.coder import Coder, codes_by_chart
from auscult.coders.familiar import warn_if_familiar
from auscult.codes import describe
from auscult.core import Annotation, Code, Measure, Note, Status
from auscult.core.counts import Counts
from auscult.core.progress import track
from auscult.corpus import Chart, Corpus
from auscult.evaluate import CodesResult, EvidenceResult, evaluate_codes, evaluate_evidence, pair
from auscult.evaluate.outcomes import Outcomes
from auscult.evaluate.sides import only_annotator
from auscult.report import plots, shown
from auscult.report.page import write_page
from auscult.report.segments import segments
from auscult.statistics.calibration import calibration_error

_RANKED = 200
_PAIRS = 500_000
_CODES_SHOWN = 40
_QUOTES = 3
_SAYS_SOMETHING = 0.1
"""The score from which the calibration error counts a code: most have one near 0, and rightly."""
_NO_TEXT = "(in a note without text)"
_BOTH, _GOLD, _CODER = "both", "gold", "coder"


@dataclass(frozen=True, slots=True)
class Assessment:
    """A coder's annotations of a corpus, with everything measured against the gold."""

    gold: Corpus
    predicted: Corpus
    codes: CodesResult
    evidence: EvidenceResult
    seen: int
    """How many of the charts the coder had learnt from or been tuned on."""
    known: int
    """How many codes the coder can give."""


def assess(
    coder: Coder, corpus: Corpus, *, annotator: str | None = None, times: int = 1000
) -> Assessment:
    """Let a coder code a corpus and measure it against an annotator's codes and evidence."""
    gold, annotator = only_annotator(corpus, annotator, "The corpus", "--annotator")
    seen_before = warn_if_familiar(coder, corpus, corpus.chart_ids())
    notes = list(corpus.iter_notes())
    asked = codes_by_chart(gold.iter_annotations())
    name = f"{coder.name} (coder)"
    # All of them if that is affordable: the areas under the curve need the whole ranking.
    is_few = len(asked) * len(coder.labels) <= _PAIRS
    ranked = len(coder.labels) if is_few else _RANKED
    said = coder.code(track(notes, "coding", len(notes)), annotator=name, also=asked, ranked=ranked)
    predicted = corpus.select(annotators=[]).with_annotations(said)
    sides = pair(gold, predicted, annotator=annotator, counts_all=None)
    seen = dict(zip(coder.labels.codes, coder.labels.counts, strict=True))
    return Assessment(
        sides.gold,
        sides.predicted,
        evaluate_codes(sides, seen=seen, times=times),
        evaluate_evidence(sides, times=times),
        seen_before,
        len(coder.labels),
    )


def coder_report(
    found: Assessment,
    out: Path,
    *,
    about: Mapping[str, str],
    threshold: float,
    title: str,
    charts: int = 8,
    shows_text: str,
    home: str = "",
) -> None:
    """Write the page, with a way back to `home` if there is one.

    It quotes notes, so `shows_text` must say whose they are.
    """
    outcomes = found.codes.outcomes
    is_ranked = outcomes.no_ranking is None
    write_page(
        out,
        "coder.html",
        made=dict(about),
        shows_text=shows_text,
        home=home,
        title=title,
        lead=_lead(found),
        tiles=_tiles(found),
        curve=_curve(outcomes, found.codes.micro.counts, threshold) if is_ranked else None,
        calibration=_calibration(outcomes) if is_ranked else None,
        why=outcomes.no_ranking,
        measures=[_measure_row(m) for m in found.codes.measures.values()],
        evidence=_evidence_rows(found.evidence),
        bands=_group_rows(found.codes, found.codes.by_band),
        chapters=_group_rows(found.codes, found.codes.by_chapter),
        codes=_code_rows(outcomes),
        charts=[_chart(gold, coder) for gold, coder in _telling(found, charts)],
    )


def _lead(found: Assessment) -> str:
    outcomes = found.codes.outcomes
    return (
        f"{outcomes.charts:,} charts with {int(outcomes.gold.sum()):,} gold codes in all; the "
        f"coder knows {found.known:,} different codes. Intervals are 95%, from resampled charts."
    ) + (
        f" The coder learnt or was tuned on {found.seen:,} of these charts, which flatters it."
        if found.seen
        else ""
    )


def _tiles(found: Assessment) -> list[tuple[str, str, str]]:
    evidence = found.evidence
    chosen = [
        ("code micro-F1", found.codes.measures["micro_f1"]),
        ("evidence token F1, code known", evidence.oracle["token"].f1),
        ("evidence span F1, code known", evidence.oracle["span"].f1),
        ("token F1 end to end", evidence.measures["token"].f1),
        ("span F1 end to end", evidence.measures["span"].f1),
    ]
    return [(name, shown.value(measure), shown.interval(measure)) for name, measure in chosen]


def _curve(outcomes: Outcomes, counts: Counts | None, threshold: float) -> Any:
    has_score = ~np.isnan(outcomes.score)
    scores, gold = outcomes.score[has_score], outcomes.gold[has_score]
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(gold[order])
    last = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
    precision, recall = hits[last] / (last + 1), hits[last] / max(1, int(outcomes.gold.sum()))
    at = None
    if counts is not None and counts.precision is not None and counts.recall is not None:
        at = (counts.precision, counts.recall)
    return plots.precision_recall(precision, recall, at, f"threshold {threshold:.2f}")


def _calibration(outcomes: Outcomes) -> dict[str, Any]:
    """The plot of scores against how often they are right, and how far they are from it."""
    has_score = ~np.isnan(outcomes.score)  # a code outside the coder's label space has none
    scores, gold = outcomes.score[has_score], outcomes.gold[has_score]
    error = calibration_error(scores, gold, least=_SAYS_SOMETHING)
    return {
        "plot": plots.calibration(scores, gold),
        "error": None if error is None else f"{error:.3f}",
        "least": _SAYS_SOMETHING,
    }


def _measure_row(measure: Measure) -> dict[str, str]:
    return {
        "name": measure.name,
        "value": shown.value(measure),
        "interval": shown.interval(measure),
        "definition": measure.undefined or measure.definition,
    }


def _evidence_rows(found: EvidenceResult) -> list[dict[str, Any]]:
    named = {
        "token": "token match",
        "span": "exact span match",
        "token_pi": "token match, position-independent",
        "span_pi": "exact span match, position-independent",
    }
    rows = []
    for what, group in (("code known", found.oracle), ("end to end", found.measures)):
        for key, name in named.items():
            one = group[key]
            rows.append(
                {
                    "what": what,
                    "name": name,
                    "precision": shown.value(one.precision),
                    "recall": shown.value(one.recall),
                    "f1": shown.value(one.f1),
                    "interval": shown.interval(one.f1),
                }
            )
    return rows


def _group_rows(found: CodesResult, groups: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "codes": found.codes_in[name],
            "gold": one.counts.tp + one.counts.fn,
            "precision": shown.value(one.precision),
            "recall": shown.value(one.recall),
            "f1": shown.value(one.f1),
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
    """Charts with gold evidence, spread from the best coded to the worst: gold and coder."""
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
    coder = {c.chart_id: c for c in found.predicted.charts(chosen, every_status=True)}
    return [(gold[chart], coder[chart]) for chart in chosen]


def _chart(gold: Chart, coder: Chart) -> dict[str, Any]:
    texts = {note.note_id: note.text for note in gold.notes if note.text is not None}
    given = [a for a in coder.annotations if a.status is Status.GIVEN]
    named = {a.code: a.score for a in coder.annotations}
    theirs, ours = _by_code(gold.annotations), _by_code(given)
    rows = [
        {
            "value": code.value,
            "system": code.system,
            "description": describe(code) or "",
            "who": _who(code in theirs, code in ours),
            "score": "" if named.get(code) is None else f"{named[code]:.2f}",
            "gold": _quotes(theirs.get(code, ()), texts),
            "coder": _quotes(ours.get(code, ()), texts),
        }
        for code in sorted({*theirs, *ours}, key=lambda code: -(named.get(code) or 0.0))
    ]
    right = sum(row["who"] == _BOTH for row in rows)
    return {
        "chart_id": gold.chart_id,
        "right": right,
        "missed": sum(row["who"] == _GOLD for row in rows),
        "extra": sum(row["who"] == _CODER for row in rows),
        "codes": rows,
        "notes": [
            made
            for note in gold.notes
            if (made := _note(note, gold.annotations, given)) is not None
        ],
    }


def _note(
    note: Note, gold: Sequence[Annotation], coder: Sequence[Annotation]
) -> dict[str, Any] | None:
    """A note with both sides' evidence drawn; None when neither points at it."""
    theirs = [a for a in gold if a.note_id == note.note_id and a.spans]
    ours = [a for a in coder if a.note_id == note.note_id and a.spans]
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
        "coder": len(ours),
        "segments": drawn,
    }


def _who(in_gold: bool, in_coder: bool) -> str:
    return _BOTH if in_gold and in_coder else _GOLD if in_gold else _CODER if in_coder else ""


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
