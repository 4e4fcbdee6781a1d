"""Faithfulness of a model's evidence: comprehensiveness and sufficiency.

Without the evidence the score should fall; with the evidence alone it should not. DeYoung et al.
2020, "ERASER: A Benchmark to Evaluate Rationalized NLP Models".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from auscult.core import Annotation, Code, Metric, Note, Span
from auscult.core.progress import track
from auscult.core.results import MetricRow, Result
from auscult.core.span import union
from auscult.corpus.corpus import Chart
from auscult.statistics import bootstrap
from auscult.statistics.bootstrap import Floats

Asked = tuple[Sequence[Note], Sequence[Code]]
Scores = Callable[[Iterable[Asked]], Iterator[Sequence[float]]]
"""A model as a function: from the notes of each chart and some codes to the codes' scores, in
order. (`Model.scores` is one.) It may read ahead, so that charts can be scored in batches."""

_DEFINITIONS = {
    "comprehensiveness": "mean over charts and codes of: score − score without the evidence; high "
    "is good",
    "sufficiency": "mean over charts and codes of: score − score on the evidence alone; low is "
    "good",
}


@dataclass(frozen=True, slots=True, repr=False)
class Faithfulness(Result):
    """The two metrics, and the differences they are means of."""

    comprehensiveness: Metric
    sufficiency: Metric
    pairs: tuple[tuple[str, Code, float, float], ...] = field(repr=False)
    """Chart, code, and the two differences."""

    def metric_rows(self) -> Iterator[MetricRow]:
        """The two metrics."""
        yield {}, self.comprehensiveness
        yield {}, self.sufficiency

    def headline(self) -> str:
        """How many codes of charts they are means of."""
        return f"{len(self.pairs):,} pairs of chart and code"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {name: getattr(self, name).to_dict() for name in _DEFINITIONS}


def without(note: Note, spans: Iterable[Span]) -> Note:
    """The note with every span removed; a space is left, so that neighboring words do not merge.

    >>> without(Note("n", "c", text="Acute renal failure, resolved."), [Span(6, 19)]).text
    'Acute  , resolved.'
    """
    text = note.text or ""
    pieces, at = [], 0
    for span in union(spans):
        span.of(text)  # a span past the text is an error here, not a shorter cut
        pieces.append(text[at : span.begin])
        at = span.end
    return replace(note, text=" ".join([*pieces, text[at:]]))


def only(note: Note, spans: Iterable[Span]) -> Note:
    """The note with nothing but the spans, each on a line of its own.

    >>> only(Note("n", "c", text="Acute renal failure, resolved."), [Span(6, 19)]).text
    'renal failure'
    """
    text = note.text or ""
    return replace(note, text="\n".join(span.of(text) for span in union(spans)))


def faithfulness(
    scores: Scores, charts: Iterable[Chart], *, times: int = 1000, seed: int = 0
) -> Faithfulness:
    """Measure comprehensiveness and sufficiency on charts with the model's own annotations.

    Codes without spans are left out: there is no evidence to remove.
    """
    pairs: list[tuple[str, Code, float, float]] = []
    sums: list[tuple[float, float, int]] = []
    told: deque[tuple[str, list[Code]]] = deque()

    def asked() -> Iterator[Asked]:
        for chart in track(charts, "removing evidence"):
            evidence = _evidence(chart.annotations)
            if evidence:
                told.append((chart.chart_id, list(evidence)))
                yield from _variants(chart, evidence)

    scored = scores(asked())
    for whole in scored:
        chart_id, codes = told.popleft()
        mine = [
            (chart_id, code, full - next(scored)[0], full - next(scored)[0])
            for code, full in zip(codes, whole, strict=True)
        ]
        sums.append((sum(p[2] for p in mine), sum(p[3] for p in mine), len(mine)))
        pairs += mine
    comprehensiveness, sufficiency = _metrics(sums, times, seed)
    return Faithfulness(comprehensiveness, sufficiency, tuple(pairs))


def _variants(
    chart: Chart, evidence: Mapping[Code, Mapping[str, Sequence[Span]]]
) -> Iterator[Asked]:
    """The chart as it is; then for each code without its evidence, and with nothing else."""
    yield chart.notes, list(evidence)
    for code, spans in evidence.items():
        for change in (without, only):
            changed = [change(note, spans.get(note.note_id, ())) for note in chart.notes]
            yield changed, [code]


def _evidence(annotations: Iterable[Annotation]) -> dict[Code, dict[str, list[Span]]]:
    """The spans of each code that is given, in each note."""
    found: dict[Code, dict[str, list[Span]]] = {}
    for annotation in annotations:
        if annotation.spans and annotation.note_id is not None:
            in_note = found.setdefault(annotation.code, {}).setdefault(annotation.note_id, [])
            in_note += annotation.spans
    return found


def _metrics(sums: Sequence[tuple[float, float, int]], times: int, seed: int) -> Iterator[Metric]:
    """The means over all pairs, with intervals that resample whole charts."""
    table = np.array(sums, dtype=np.float64).reshape(-1, 3)

    def means(weights: Floats) -> Floats:
        total = weights @ table
        found: Floats = total[:, :2] / total[:, 2:]
        return found

    for at, (name, definition) in enumerate(_DEFINITIONS.items()):
        if not len(table):
            yield Metric(name, definition, undefined="no code has evidence")
            continue
        value = float(bootstrap.point(means, len(table))[at])
        begin, end = bootstrap.intervals(means, len(table), times=times, seed=seed)[at]
        interval = None if np.isnan(begin) else (float(begin), float(end))
        yield Metric(name, definition, value, interval, int(table[:, 2].sum()))
