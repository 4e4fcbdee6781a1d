"""Krippendorff's α for unitizing: agreement on span boundaries, code by code.

Each annotator divides the text into spans of a code and gaps between them. The distance δ² of two
overlapping spans is (b − b′)² + (e − e′)²; that of a span inside the other annotator's gap is its
length squared. The expected distance is over all ways to place the same spans and gaps.

For a code with N spans of lengths l, in a text of length L of which annotators read T characters in
total, each note by m annotators:
D_o = 1/L Σ_notes [Σ δ² / (m − 1)] / T over ordered pairs of annotators, and
D_e = 2/L Σ_spans [(N − 1)/3 (2l³ − 3l² + l) + l² Σ_gaps max(0, g − l + 1)]
      / (T(T − 1) − Σ_spans l(l − 1)); α = 1 − Σ_codes D_o / Σ_codes D_e.

If all annotators read everything, T is mL, and these are Krippendorff's formulas. A note that only
some have read counts with those, if they are at least two. Notes are concatenated; no gap crosses
their borders, so their order does not matter.

Krippendorff 2004, "Content Analysis", 2nd ed., section 11.6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from auscult.agreement.ratings import Bools, Floats, Ints
from auscult.agreement.resampling import divided, measured
from auscult.core import Metric, Span
from auscult.core.span import union

_DEFINITION = "1 − D_o / D_e over boundaries of spans in characters, summed over codes"


@dataclass(frozen=True, slots=True)
class Marks:
    """Spans that annotators marked in notes, each with annotator, note and code as numbers.

    Spans of one annotator, note and code neither overlap nor are empty. `lengths` and `charts` are
    the characters and the chart of every note, marked or not, and `seen` (notes × annotators) says
    who has read it: two annotators at least.
    """

    lengths: Ints
    charts: Ints
    seen: Bools
    annotator: Ints
    note: Ints
    code: Ints
    begin: Ints
    end: Ints

    @classmethod
    def of(
        cls,
        annotators: int,
        notes: Sequence[tuple[int, int]],
        given: Mapping[tuple[int, int, int], Sequence[Span]],
        seen: Bools | None = None,
    ) -> Marks:
        """From the length and chart of each note, and spans by annotator, note and code.

        Spans of one annotator that overlap become one; those that touch stay two. Without `seen`,
        all annotators have read all notes.
        """
        rows = [
            (annotator, note, code, span.begin, span.end)
            for (annotator, note, code), spans in given.items()
            for span in apart(spans)
        ]
        columns = np.array(rows, dtype=np.int64).reshape(len(rows), 5).T
        table = np.array(notes, dtype=np.int64).reshape(len(notes), 2)
        everyone = np.ones((len(notes), annotators), dtype=np.bool_)
        return cls(table[:, 0], table[:, 1], everyone if seen is None else seen, *columns)

    @property
    def annotators(self) -> int:
        """How many annotators there are."""
        return int(self.seen.shape[1])

    @property
    def readers(self) -> Ints:
        """How many annotators have read each note."""
        readers: Ints = self.seen.sum(axis=1, dtype=np.int64)
        return readers


def apart(spans: Sequence[Span]) -> list[Span]:
    """The spans in order, without empty ones, and with overlapping ones joined.

    >>> apart([Span(0, 2), Span(2, 4), Span(3, 6), Span(9, 9)])
    [Span(begin=0, end=2), Span(begin=2, end=6)]
    """
    joined: list[Span] = []
    for span in sorted(s for s in spans if len(s)):
        if joined and joined[-1].overlaps(span):
            joined[-1] = union([joined[-1], span])[0]
        else:
            joined.append(span)
    return joined


def alpha_unitized(marks: Marks, *, times: int = 0, seed: int = 0) -> Metric:
    """Krippendorff's α for unitizing, over all codes.

    Intervals keep the expected disagreement per character fixed. Krippendorff's example, two
    annotators on 300 characters who agree on one code and not on the other:

    >>> spans = {
    ...     (0, 0, 0): [Span(75, 145), Span(220, 250)],
    ...     (1, 0, 0): [Span(70, 150), Span(205, 225), Span(250, 270)],
    ...     (0, 0, 1): [Span(30, 90), Span(150, 200)],
    ...     (1, 0, 1): [Span(30, 90), Span(150, 200)],
    ... }
    >>> print(alpha_unitized(Marks.of(2, [(300, 0)], spans)))
    alpha_unitized = 0.859
    """
    charts = int(marks.charts.max(initial=-1)) + 1
    length = float(marks.lengths.sum())
    expected = float(expected_disagreement(marks).sum())
    disagreed = np.bincount(
        marks.charts, weights=observed_by_note(marks), minlength=charts
    )  # (charts)
    read = np.bincount(marks.charts, weights=marks.lengths * marks.readers, minlength=charts)

    def statistic(weights: Floats) -> Floats:
        observed = divided(weights @ disagreed, weights @ read) / length
        return (1 - divided(observed, np.full(len(weights), expected)))[:, None]

    return measured(
        "alpha_unitized",
        _DEFINITION,
        statistic,
        charts,
        why="no annotator marked a span in a note with text that two annotators annotated",
        n=len(marks.begin),
        times=times,
        seed=seed,
    )


def observed_by_note(marks: Marks) -> Floats:
    """Σ δ² over ordered pairs of the annotators who have read a note, over their number − 1."""
    found = np.zeros(len(marks.lengths))
    readers = marks.readers
    number = len(marks.begin)
    order = np.lexsort((marks.begin, marks.code, marks.note))
    annotator, note, code = marks.annotator[order], marks.note[order], marks.code[order]
    begin, end = marks.begin[order].astype(np.float64), marks.end[order].astype(np.float64)
    # How many annotators see each span in a gap: all others, less those with a span that overlaps.
    group = np.zeros(number, dtype=np.int64)
    if number:
        group[1:] = np.cumsum((np.diff(note) != 0) | (np.diff(code) != 0))
    met: set[tuple[int, int]] = set()
    step = 1
    # Pairs of spans of one note and code, the nearest in order first, until no group is as long.
    while True:
        left = np.arange(number - step) if step < number else np.arange(0)
        right = left + step
        same = group[left] == group[right] if len(left) else np.zeros(0, dtype=bool)
        if not same.any():
            break
        left, right = left[same], right[same]
        crossing = (annotator[left] != annotator[right]) & (begin[right] < end[left])
        crossing &= begin[left] < end[right]
        left, right = left[crossing], right[crossing]
        apart = (begin[left] - begin[right]) ** 2 + (end[left] - end[right]) ** 2
        np.add.at(found, note[left], 2 * apart)
        met.update(zip(left.tolist(), annotator[right].tolist(), strict=True))
        met.update(zip(right.tolist(), annotator[left].tolist(), strict=True))
        step += 1
    alone = readers[note].astype(np.float64) - 1
    if met:
        np.subtract.at(alone, np.array([at for at, _ in met]), 1)
    np.add.at(found, note, 2 * alone * (end - begin) ** 2)
    return found / (readers - 1)


def expected_disagreement(marks: Marks) -> Floats:
    """D_e of each code."""
    length = float(marks.lengths.sum())
    read = float((marks.lengths * marks.readers).sum())
    codes = np.unique(marks.code)
    found = np.zeros(len(codes))
    # Without spans of a code, every note is a gap to every annotator who has read it.
    blank = _Places(np.repeat(marks.lengths, marks.readers))
    order = np.argsort(marks.code, kind="stable")
    edges = np.searchsorted(marks.code[order], np.append(codes, codes[-1:] + 1))
    for at in range(len(codes)):
        which = order[edges[at] : edges[at + 1]]
        spans = (marks.end[which] - marks.begin[which]).astype(np.float64)
        keys = marks.note[which] * marks.annotators + marks.annotator[which]
        gaps = _gaps(keys, marks.begin[which], marks.end[which], marks)
        marked = _Places(marks.lengths[np.unique(keys) // marks.annotators])
        room = blank.for_spans(spans) - marked.for_spans(spans) + _Places(gaps).for_spans(spans)
        cubes = (len(spans) - 1) / 3 * (2 * spans**3 - 3 * spans**2 + spans)
        by_chance = 2 / length * (cubes + spans**2 * room).sum()
        found[at] = by_chance / (read * (read - 1) - (spans * (spans - 1)).sum())
    return found


def _gaps(keys: Ints, begin: Ints, end: Ints, marks: Marks) -> Ints:
    """The lengths of the gaps between spans, of each annotator's note that has any."""
    order = np.lexsort((begin, keys))
    keys, begin, end = keys[order], begin[order], end[order]
    first = np.append(True, keys[1:] != keys[:-1])
    last = np.append(first[1:], True)
    before = begin - np.where(first, 0, np.append(0, end[:-1]))
    after = marks.lengths[keys[last] // marks.annotators] - end[last]
    gaps = np.concatenate([before, after])
    return gaps[gaps > 0]


class _Places:
    """Gaps, and in how many places of them a span of some length fits."""

    def __init__(self, gaps: Ints) -> None:
        self._gaps = np.sort(gaps)
        self._from = np.append(np.cumsum(self._gaps[::-1])[::-1], 0).astype(np.float64)

    def for_spans(self, lengths: Floats) -> Floats:
        """Σ max(0, g − l + 1) over the gaps that are long enough."""
        at = np.searchsorted(self._gaps, lengths)
        fitting = len(self._gaps) - at
        return self._from[at] - fitting * (lengths - 1)
