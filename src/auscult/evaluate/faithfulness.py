"""Whether a coder's evidence is what it went by: comprehensiveness and sufficiency.

Take the evidence away and the score should fall; leave only the evidence and it should not.
DeYoung et al. 2020, "ERASER: A Benchmark to Evaluate Rationalized NLP Models".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from auscult.core import Annotation, Code, Measure, Note, Span
from auscult.core.progress import track
from auscult.core.span import union
from auscult.corpus.corpus import Chart
from auscult.statistics import bootstrap
from auscult.statistics.bootstrap import Floats

Scores = Callable[[Sequence[Note]], Mapping[Code, float]]
"""A coder seen from outside: the score of each code for the notes of one chart."""

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
    """Measure a coder on charts that carry its own annotations, one score for each pair.

    Codes without spans are left out: there is nothing to take away. A code that the coder does not
    score once the text has changed counts as 0.
    """
    pairs: list[tuple[str, Code, float, float]] = []
    sums: list[tuple[float, float, int]] = []
    for chart in track(charts, "taking evidence away"):
        mine = [(chart.chart_id, code, *drops) for code, drops in _drops(scores, chart)]
        if mine:
            sums.append((sum(p[2] for p in mine), sum(p[3] for p in mine), len(mine)))
            pairs += mine
    comprehensiveness, sufficiency = _measures(sums, times, seed)
    return Faithfulness(comprehensiveness, sufficiency, tuple(pairs))


def _drops(scores: Scores, chart: Chart) -> Iterator[tuple[Code, tuple[float, float]]]:
    evidence = _evidence(chart.annotations)
    whole = scores(chart.notes) if evidence else {}
    for code, spans in evidence.items():
        cut = scores([without(note, spans.get(note.note_id, ())) for note in chart.notes])
        kept = scores([only(note, spans.get(note.note_id, ())) for note in chart.notes])
        full = whole.get(code, 0.0)
        yield code, (full - cut.get(code, 0.0), full - kept.get(code, 0.0))


def _evidence(annotations: Iterable[Annotation]) -> dict[Code, dict[str, list[Span]]]:
    """The spans of each code in each note."""
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
