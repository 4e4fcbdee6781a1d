"""Whether a coder's evidence is what it went by: comprehensiveness and sufficiency.

Take the evidence away and the score should fall; leave only the evidence and it should not.
DeYoung et al. 2020, "ERASER: A Benchmark to Evaluate Rationalized NLP Models".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from auscult.core import Annotation, Code, Measure, Note, Span
from auscult.core.progress import track
from auscult.core.span import union
from auscult.corpus.corpus import Chart
from auscult.statistics import bootstrap
from auscult.statistics.bootstrap import Floats

Asked = tuple[Sequence[Note], Sequence[Code]]
Scores = Callable[[Iterable[Asked]], Iterator[Sequence[float]]]
"""A coder seen from outside: given the notes of each chart and some codes, the codes' scores, in
order. (`Coder.scores` is one.) It may read ahead, so that charts can be scored in batches."""

_DEFINITIONS = {
    "comprehensiveness": "mean over charts and codes of: score − score without the evidence; high "
    "is good",
    "sufficiency": "mean over charts and codes of: score − score on the evidence alone; low is "
    "good",
}


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """The two measures, and what they are means of."""

    comprehensiveness: Measure
    sufficiency: Measure
    pairs: tuple[tuple[str, Code, float, float], ...] = field(repr=False)
    """Chart, code, and the two differences."""

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {name: getattr(self, name).to_dict() for name in _DEFINITIONS}


def without(note: Note, spans: Iterable[Span]) -> Note:
    """The note with every span cut out; a space is left, so that neighbours do not grow together.

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
    """Measure a coder on charts that carry its own annotations.

    Codes without spans are left out: there is nothing to take away.
    """
    pairs: list[tuple[str, Code, float, float]] = []
    sums: list[tuple[float, float, int]] = []
    told: deque[tuple[str, list[Code]]] = deque()

    def asked() -> Iterator[Asked]:
        for chart in track(charts, "taking evidence away"):
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
    comprehensiveness, sufficiency = _measures(sums, times, seed)
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


def _measures(sums: Sequence[tuple[float, float, int]], times: int, seed: int) -> Iterator[Measure]:
    """The means over all pairs, with intervals that resample whole charts."""
    table = np.array(sums, dtype=np.float64).reshape(-1, 3)

    def means(weights: Floats) -> Floats:
        total = weights @ table
        found: Floats = total[:, :2] / total[:, 2:]
        return found

    for at, (name, definition) in enumerate(_DEFINITIONS.items()):
        if not len(table):
            yield Measure(name, definition, undefined="no code has evidence")
            continue
        value = float(bootstrap.point(means, len(table))[at])
        begin, end = bootstrap.intervals(means, len(table), times=times, seed=seed)[at]
        interval = None if np.isnan(begin) else (float(begin), float(end))
        yield Measure(name, definition, value, interval, int(table[:, 2].sum()))
