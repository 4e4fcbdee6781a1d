"""How much of what identifies people is found, and what would leak.

A word is the unit, as in the i2b2 challenges on de-identification (Uzuner, Luo and Szolovits 2007,
"Evaluating the state-of-the-art in automatic de-identification"): a name of two words of which one
is found is found by half. A word of gold is found when all its characters are covered.

- `by_kind`: the kind must be the same, so that a town taken for a person is missed and wrong.
- `any_kind`: hidden is hidden, whatever it was taken for. This is what privacy asks.
- `leak_rate`: the share of notes in which at least one word of gold would show.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auscult.core import CorpusError, Measure
from auscult.evaluate.matched import Matched, measure_counts
from auscult.evaluate.sides import Sides
from auscult.statistics import bootstrap
from auscult.statistics.bootstrap import Floats

_WORD = re.compile(r"\w+")
ANY = "any_kind"
_LEAK = "notes with at least one word of gold that nothing covers / notes"
_Ranges = list[tuple[int, int, str]]
"""Begin, end and kind."""


@dataclass(frozen=True, slots=True)
class DeidResult:
    """Recall and precision of words, by kind and of any kind, and how many notes would leak.

    `hidden` is, for each kind, the share of its words that something covers, whatever it was
    taken for.
    """

    charts: int
    notes: int
    by_kind: Mapping[str, Matched]
    any_kind: Matched
    hidden: Mapping[str, Measure]
    leak_rate: Measure

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "charts": self.charts,
            "notes": self.notes,
            "by_kind": {kind: found.to_dict() for kind, found in self.by_kind.items()},
            ANY: self.any_kind.to_dict(),
            "hidden": {kind: measure.to_dict() for kind, measure in self.hidden.items()},
            "leak_rate": self.leak_rate.to_dict(),
        }


def evaluate_deid(sides: Sides, *, times: int = 1000, seed: int = 0) -> DeidResult:
    """Compare what was found with what is there, with intervals from resampled charts.

    >>> from auscult.core import Annotation, Code, Note, Span
    >>> from auscult.corpus import Corpus
    >>> from auscult.evaluate.sides import pair
    >>> note = Note("n", "c", text="Seen by Grace Bell, RN, in Dover.")
    >>> def said(who, *found):
    ...     marks = [Annotation(who, Code("PHI", k), "c", "n", (Span(b, e),)) for b, e, k in found]
    ...     return Corpus.of([note], marks)
    >>> gold = said("truth", (8, 18, "NAME"), (27, 32, "LOCATION"))
    >>> found = evaluate_deid(pair(gold, said("deid", (14, 18, "NAME"), (27, 32, "NAME"))))
    >>> found.by_kind["NAME"].counts, found.any_kind.counts, found.leak_rate.value
    (Counts(tp=1, fp=1, fn=1), Counts(tp=2, fp=0, fn=1), 1.0)
    """
    gold, predicted = _by_note(sides.gold.annotations), _by_note(sides.predicted.annotations)
    kinds = sorted(
        {kind for side in (gold, predicted) for ranges in side.values() for *_, kind in ranges}
    )
    number = {chart_id: at for at, chart_id in enumerate(sides.chart_ids)}
    rows = {kind: np.zeros((len(number), 3), dtype=np.int64) for kind in (*kinds, ANY)}
    covered = {kind: np.zeros((len(number), 2), dtype=np.int64) for kind in kinds}
    leaks = np.zeros((len(number), 2), dtype=np.int64)
    notes = sides.gold.notes.select("note_id", "chart_id", "text")
    for batch in notes.collect_batches(chunk_size=2000, maintain_order=True):
        for note_id, chart_id, text in batch.iter_rows():
            there, said = gold.get(note_id, []), predicted.get(note_id, [])
            if text is None:
                if there or said:
                    raise CorpusError(
                        f"Note {note_id} has no text on either side, and words are counted. Import "
                        "the notes with their text."
                    )
                continue
            at = number[chart_id]
            leaks[at] += (_count(text, there, said, rows, covered, at), 1)
    definitions = {kind: f"words of {kind} found as {kind}" for kind in kinds}
    definitions[ANY] = "words that identify someone, found as whatever kind"
    found = measure_counts(rows, definitions, times=times, seed=seed)
    return DeidResult(
        len(number),
        int(leaks[:, 1].sum()),
        {kind: found[kind] for kind in kinds},
        found[ANY],
        {
            kind: _share(
                f"{kind}_hidden",
                f"words of {kind} that something covers / words of {kind}",
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
    said: _Ranges,
    rows: Mapping[str, NDArray[np.int64]],
    covered: Mapping[str, NDArray[np.int64]],
    at: int,
) -> bool:
    """Count the words of a note; whether one of them leaks."""
    hidden, marked = _mask(text, said, None), _mask(text, there, None)
    leaked = False
    for kind in {kind for *_, kind in (*there, *said)}:
        same, own = _mask(text, said, kind), _mask(text, there, kind)
        for begin, end in _words(text, there, kind):
            found = all(same[begin:end])
            rows[kind][at] += (found, 0, not found)
            safe = all(hidden[begin:end])
            covered[kind][at] += (safe, 1)
            leaked |= not safe
        for begin, end in _words(text, said, kind):
            rows[kind][at, 1] += not any(own[begin:end])
    for begin, end in _words(text, there, None):
        found = all(hidden[begin:end])
        rows[ANY][at] += (found, 0, not found)
    for begin, end in _words(text, said, None):
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


def _share(name: str, definition: str, counts: NDArray[np.int64], times: int, seed: int) -> Measure:
    """The sum of the first column over that of the second, with its interval."""
    table = counts.astype(np.float64)

    def statistic(weights: Floats) -> Floats:
        part, whole = np.moveaxis(weights @ table, -1, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((part / whole)[:, None])

    part, whole = (int(total) for total in counts.sum(axis=0))
    if not whole:
        return Measure(name, definition, undefined="gold has none", n=len(counts))
    begin, end = bootstrap.intervals(statistic, len(counts), times=times, seed=seed)[0]
    interval = None if np.isnan(begin) else (float(begin), float(end))
    return Measure(name, definition, part / whole, interval, len(counts))
