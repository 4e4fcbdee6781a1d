"""Evaluation of de-identification: identifiers found, and notes that would leak.

The unit is a word, as in the i2b2 challenges on de-identification (Uzuner, Luo and Szolovits 2007,
"Evaluating the state-of-the-art in automatic de-identification"): of a name of two words, each
counts for itself. A gold word is found if all its characters are covered.

- `by_kind`: the kind must be the same; a town labeled as a person is missed and a false positive.
- `any_kind`: any label counts, since the word is hidden. This matters for privacy.
- `leak_rate`: the share of notes in which at least one gold word would remain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auscult.core import CorpusError, Metric
from auscult.core.plurals import counted
from auscult.core.results import MetricRow, Result
from auscult.evaluate.matching import MatchMetrics, metric_counts
from auscult.evaluate.sides import Sides
from auscult.statistics import bootstrap
from auscult.statistics.bootstrap import Floats

_WORD = re.compile(r"\w+")
ANY = "any_kind"
_LEAK = "notes with at least one gold word that no predicted span covers / notes"
_Ranges = list[tuple[int, int, str]]
"""Begin, end and kind."""


@dataclass(frozen=True, slots=True, repr=False)
class DeidResult(Result):
    """The results of `evaluate_deid`: recall and precision of words, and the leak rate.

    `hidden` is, for each kind, the share of its words that any predicted span covers, whatever its
    kind.
    """

    charts: int
    notes: int
    by_kind: Mapping[str, MatchMetrics]
    any_kind: MatchMetrics
    hidden: Mapping[str, Metric]
    leak_rate: Metric

    def metric_rows(self) -> Iterator[MetricRow]:
        """The leak rate and words of any kind; then each kind of identifier."""
        yield {}, self.leak_rate
        yield from self.any_kind.metric_rows()
        for kind, found in self.by_kind.items():
            yield from found.metric_rows(kind=kind)
            yield {"kind": kind}, replace(self.hidden[kind], name="hidden")

    def headline(self) -> str:
        """How many charts and notes."""
        return f"{counted(self.charts, 'chart')}, {counted(self.notes, 'note')}"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "charts": self.charts,
            "notes": self.notes,
            "by_kind": {kind: found.to_dict() for kind, found in self.by_kind.items()},
            ANY: self.any_kind.to_dict(),
            "hidden": {kind: metric.to_dict() for kind, metric in self.hidden.items()},
            "leak_rate": self.leak_rate.to_dict(),
        }


def evaluate_deid(sides: Sides, *, times: int = 1000, seed: int = 0) -> DeidResult:
    """Evaluate de-identification against gold, with bootstrap intervals over charts.

    >>> from auscult.core import Annotation, Code, Note, Span
    >>> from auscult.corpus import Corpus
    >>> from auscult.evaluate.sides import pair
    >>> note = Note("n", "c", text="Seen by Grace Bell, RN, in Dover.")
    >>> def corpus(who, *found):
    ...     marks = [Annotation(who, Code("PHI", k), "c", "n", (Span(b, e),)) for b, e, k in found]
    ...     return Corpus.of([note], marks)
    >>> gold = corpus("truth", (8, 18, "NAME"), (27, 32, "LOCATION"))
    >>> found = evaluate_deid(pair(gold, corpus("deid", (14, 18, "NAME"), (27, 32, "NAME"))))
    >>> found.by_kind["NAME"].counts, found.any_kind.counts, found.leak_rate.value
    (Counts(tp=1, fp=1, fn=1), Counts(tp=2, fp=0, fn=1), 1.0)
    """
    gold, predicted = (
        _by_note(sides.gold.lazy_annotations),
        _by_note(sides.predicted.lazy_annotations),
    )
    kinds = sorted(
        {kind for side in (gold, predicted) for ranges in side.values() for *_, kind in ranges}
    )
    number = {chart_id: at for at, chart_id in enumerate(sides.chart_ids)}
    rows = {kind: np.zeros((len(number), 3), dtype=np.int64) for kind in (*kinds, ANY)}
    covered = {kind: np.zeros((len(number), 2), dtype=np.int64) for kind in kinds}
    leaks = np.zeros((len(number), 2), dtype=np.int64)
    notes = sides.gold.lazy_notes.select("note_id", "chart_id", "text")
    for batch in notes.collect_batches(chunk_size=2000, maintain_order=True):
        for note_id, chart_id, text in batch.iter_rows():
            there, predicted_spans = gold.get(note_id, []), predicted.get(note_id, [])
            if text is None:
                if there or predicted_spans:
                    raise CorpusError(
                        f"Note {note_id} has no text in either corpus, and the metrics count "
                        "words. Import the notes with their text."
                    )
                continue
            at = number[chart_id]
            leaks[at] += (_count(text, there, predicted_spans, rows, covered, at), 1)
    definitions = {kind: f"words of {kind} predicted as {kind}" for kind in kinds}
    definitions[ANY] = "identifying words, whatever the predicted kind"
    found = metric_counts(rows, definitions, times=times, seed=seed)
    return DeidResult(
        len(number),
        int(leaks[:, 1].sum()),
        {kind: found[kind] for kind in kinds},
        found[ANY],
        {
            kind: _share(
                f"{kind}_hidden",
                f"words of {kind} covered by any predicted span / words of {kind}",
                covered[kind],
                times,
                seed,
            )
            for kind in kinds
        },
        _share("leak_rate", _LEAK, leaks, times, seed),
    )


def _by_note(annotations: pl.LazyFrame) -> dict[str, _Ranges]:
    """The marked ranges by note, sorted."""
    rows = (
        annotations.filter(pl.col("note_id").is_not_null())
        .select("note_id", "code", "spans")
        .explode("spans")
        .unnest("spans")
        .drop_nulls("begin")
        .sort("note_id", "begin", "end")
        .collect()
    )
    ranges: dict[str, _Ranges] = {}
    for note_id, code, begin, end in rows.select("note_id", "code", "begin", "end").iter_rows():
        ranges.setdefault(note_id, []).append((begin, end, code))
    return ranges


def _count(
    text: str,
    there: _Ranges,
    predicted_spans: _Ranges,
    rows: Mapping[str, NDArray[np.int64]],
    covered: Mapping[str, NDArray[np.int64]],
    at: int,
) -> bool:
    """Count the words of a note; whether one of them leaks."""
    hidden, marked = _mask(text, predicted_spans, None), _mask(text, there, None)
    leaked = False
    for kind in {kind for *_, kind in (*there, *predicted_spans)}:
        same, own = _mask(text, predicted_spans, kind), _mask(text, there, kind)
        for begin, end in _words(text, there, kind):
            found = all(same[begin:end])
            rows[kind][at] += (found, 0, not found)
            safe = all(hidden[begin:end])
            covered[kind][at] += (safe, 1)
            leaked |= not safe
        for begin, end in _words(text, predicted_spans, kind):
            rows[kind][at, 1] += not any(own[begin:end])
    for begin, end in _words(text, there, None):
        found = all(hidden[begin:end])
        rows[ANY][at] += (found, 0, not found)
    for begin, end in _words(text, predicted_spans, None):
        rows[ANY][at, 1] += not any(marked[begin:end])
    return leaked


def _mask(text: str, ranges: _Ranges, kind: str | None) -> bytearray:
    mask = bytearray(len(text))
    for begin, end, own in ranges:
        if kind is None or own == kind:
            mask[begin:end] = b"\1" * (min(end, len(text)) - begin)
    return mask


def _words(text: str, ranges: _Ranges, kind: str | None) -> Sequence[tuple[int, int]]:
    """The words that ranges cover, or the parts of them, each once."""
    return sorted(
        {
            match.span()
            for begin, end, own in ranges
            if kind is None or own == kind
            for match in _WORD.finditer(text, begin, end)
        }
    )


def _share(name: str, definition: str, counts: NDArray[np.int64], times: int, seed: int) -> Metric:
    """The sum of the first column over that of the second, with its interval."""
    table = counts.astype(np.float64)

    def statistic(weights: Floats) -> Floats:
        part, whole = np.moveaxis(weights @ table, -1, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((part / whole)[:, None])

    part, whole = (int(total) for total in counts.sum(axis=0))
    if not whole:
        return Metric(name, definition, undefined="gold has none", n=len(counts))
    begin, end = bootstrap.intervals(statistic, len(counts), times=times, seed=seed)[0]
    interval = None if np.isnan(begin) else (float(begin), float(end))
    return Metric(name, definition, part / whole, interval, len(counts))
