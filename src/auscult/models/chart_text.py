"""A chart as one sequence of words, each with its exact position in a note."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from auscult.core import Note, Span
from auscult.core.tokens import word_places

Places = npt.NDArray[np.int32]
_FIRST = "discharge summary"


@dataclass(frozen=True, eq=False)
class ChartText:
    """The words of a chart's notes in sequence, and the position of each.

    Word `i` is `words[i]`, at characters `begins[i]` to `ends[i]` of note `notes[note_of[i]]`.
    `cut` counts the words beyond the longest sequence allowed, which are not here.
    """

    chart_id: str
    notes: tuple[Note, ...] = field(repr=False)
    words: tuple[str, ...] = field(repr=False)
    note_of: Places = field(repr=False)
    begins: Places = field(repr=False)
    ends: Places = field(repr=False)
    cut: int = 0

    def __len__(self) -> int:
        return len(self.words)

    @property
    def patient(self) -> str:
        """The patient of the chart's notes."""
        return patient_of(self.chart_id, self.notes)

    @property
    def categories(self) -> tuple[str | None, ...]:
        """The category of each note."""
        return tuple(note.category for note in self.notes)

    def renamed(self, chart_id: str) -> ChartText:
        """The same under another name."""
        return replace(self, chart_id=chart_id)

    def place(self, begin: int, end: int) -> tuple[Note, Span]:
        """The note and the span of words `begin` up to `end`, which must be of one note."""
        note = self.notes[self.note_of[begin]]
        return note, Span(int(self.begins[begin]), int(self.ends[end - 1]))

    def words_in(self, note_id: str, span: Span) -> tuple[int, int] | None:
        """The first word that a span touches and the one after its last; None when it has none."""
        bounds = self._bounds.get(note_id)
        if bounds is None or not len(span):
            return None
        first, last = bounds
        begin = first + int(np.searchsorted(self.ends[first:last], span.begin, side="right"))
        end = first + int(np.searchsorted(self.begins[first:last], span.end, side="left"))
        return (begin, end) if begin < end else None

    def runs(self, words: npt.NDArray[np.intp]) -> list[npt.NDArray[np.intp]]:
        """Words, given by their places in order, as runs of neighbors within one note."""
        if not len(words):
            return []
        is_break = (np.diff(words) > 1) | (np.diff(self.note_of[words]) != 0)
        return np.split(words, np.flatnonzero(is_break) + 1)

    @cached_property
    def _bounds(self) -> dict[str, tuple[int, int]]:
        """Each note's first word and the one after its last."""
        edges = np.searchsorted(self.note_of, np.arange(len(self.notes) + 1))
        return {
            note.note_id: (int(edges[at]), int(edges[at + 1])) for at, note in enumerate(self.notes)
        }


def patient_of(chart_id: str, notes: Iterable[Note]) -> str:
    """The patient of a chart's notes; the chart itself if they name none."""
    return next((note.subject_id for note in notes if note.subject_id), chart_id)


def read_chart(
    chart_id: str, notes: Iterable[Note], *, longest: int | None = None, numbers: bool = False
) -> ChartText:
    """The notes of one chart as a sequence of at most `longest` words.

    Discharge summaries come first, since most of the evidence is there and the end is what is cut
    off; otherwise the order is kept. Notes without text have no words.

    >>> text = read_chart("c1", [Note("1", "c1", text="Fever."), Note("2", "c1", text="No cough.")])
    >>> text.words, text.place(1, 3)[1]
    (('fever', 'no', 'cough'), Span(begin=0, end=8))
    """
    ordered = in_order(notes)
    of_notes = [word_places(note.text or "", numbers=numbers) for note in ordered]
    every = [place for places in of_notes for place in places]
    kept = every[:longest]
    lengths = np.array([len(places) for places in of_notes], np.intp)
    note_of = np.repeat(np.arange(len(ordered), dtype=np.int32), lengths)
    return ChartText(
        chart_id,
        tuple(ordered),
        tuple(sys.intern(word) for word, _, _ in kept),
        note_of[: len(kept)],
        np.array([begin for _, begin, _ in kept], np.int32),
        np.array([end for _, _, end in kept], np.int32),
        cut=len(every) - len(kept),
    )


def in_order(notes: Iterable[Note]) -> list[Note]:
    """The notes of a chart as they are read: discharge summaries first."""
    return sorted(notes, key=lambda note: (note.category or "").strip().lower() != _FIRST)
