"""Edits of a chart's text, and the words that change by them.

An audit scores thousands of notes that differ in one word; `segments` tells which few words are
new, so that a scorer need not process each note from the beginning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from auscult.core import Note
from auscult.core.edits import Edit, Edited
from auscult.core.tokens import tokens
from auscult.models.chart_scoring import ChartConfiguration, Scores
from auscult.models.chart_text import ChartText, read_chart

Place = tuple[str, int, int]
"""A note's id, and the characters from where to where."""


@dataclass(frozen=True, slots=True)
class Perturbation:
    """Edits to the texts of a chart's notes: one for a single swap, several for all occurrences.

    >>> swap = Perturbation.swap([("n", 4, 7)], "dad")
    >>> swap.applied([Note("n", "c", text="his mom visited")])[0].text
    'his dad visited'
    """

    edits: Mapping[str, tuple[Edit, ...]]
    """Those of each note that is changed, by its id."""

    @classmethod
    def swap(cls, places: Iterable[Place], replacement: str) -> Perturbation:
        """The same replacement at each place; every other character stays as it was."""
        made: dict[str, list[Edit]] = {}
        for note_id, begin, end in places:
            made.setdefault(note_id, []).append(Edit(begin, end, replacement))
        return cls({note_id: tuple(edits) for note_id, edits in made.items()})

    def applied(self, notes: Sequence[Note]) -> list[Note]:
        """The notes, those that are meant changed."""
        return [
            replace(note, text=Edited.of(note.text or "", self.edits[note.note_id]).text)
            if note.note_id in self.edits
            else note
            for note in notes
        ]


@dataclass(frozen=True, slots=True)
class EditedSegment:
    """Words `begin` up to `end` of a chart, all of note `note`, become `words` by an edit.

    The new words stand at characters `begins` to `ends` after `low`, counted before any edit.
    """

    note: int
    begin: int
    end: int
    words: tuple[str, ...] = field(repr=False)
    edit: Edit
    low: int = 0
    begins: tuple[int, ...] = field(default=(), repr=False)
    ends: tuple[int, ...] = field(default=(), repr=False)


@runtime_checkable
class ScoresEdits(Protocol):
    """A scorer that has a quicker way than reading every changed chart from the beginning."""

    def scores_of_edits(
        self,
        text: ChartText,
        perturbed: Sequence[Perturbation],
        code: int,
        config: ChartConfiguration,
    ) -> Scores:
        """The score of one code for a chart after each perturbation, as reading them would give."""
        ...


@runtime_checkable
class KnowsWords(Protocol):
    """A scorer with a vocabulary, which can tell what is not in it."""

    def knows(self, words: Sequence[str]) -> list[bool]:
        """Whether each word means anything to the scorer."""
        ...


@runtime_checkable
class HasEncoderWords(Protocol):
    """A scorer with a pretrained encoder, whose tokens it can list."""

    def encoder_words(self) -> list[str]:
        """The whole words among the encoder's tokens."""
        ...


def changed(text: ChartText, perturbed: Perturbation, config: ChartConfiguration) -> ChartText:
    """The chart after a perturbation, as reading it would give, in the quickest way there is."""
    found = segments(text, perturbed, config)
    return reread(text, perturbed, config) if found is None else spliced(text, perturbed, found)


def reread(text: ChartText, perturbed: Perturbation, config: ChartConfiguration) -> ChartText:
    """The chart after a perturbation, read from the beginning."""
    return read_chart(
        text.chart_id,
        perturbed.applied(text.notes),
        longest=config.most_words(len(text.notes)),
        numbers=config.keep_numbers,
    )


def is_emptied(text: ChartText, perturbed: Perturbation, config: ChartConfiguration) -> bool:
    """Whether no word of the chart is left."""
    edits = [edit for edits in perturbed.edits.values() for edit in edits]
    # So many words at most are touched; hardly ever does the chart have to be read for this.
    touched = sum(edit.end - edit.begin + 2 for edit in edits)
    return touched >= len(text) and not len(reread(text, perturbed, config))


def is_unread(text: ChartText, perturbed: Perturbation) -> bool:
    """Whether all that is changed lies where the chart is not read: past the cut, in other notes.

    The score is then the same, to the last bit.
    """
    last = int(text.note_of[-1]) if len(text) else 0
    for at, note in enumerate(text.notes):
        edits = perturbed.edits.get(note.note_id, ())
        if not edits or (text.cut and at > last):
            continue
        # What touches the last word that is read may make it longer.
        if not text.cut or at < last or min(one.begin for one in edits) <= int(text.ends[-1]):
            return False
    return True


def segments(
    text: ChartText, perturbed: Perturbation, config: ChartConfiguration
) -> tuple[EditedSegment, ...] | None:
    """The words that a perturbation changes, in order; None when only reading again will tell."""
    made: list[EditedSegment] = []
    for at, note in enumerate(text.notes):
        if note.note_id not in perturbed.edits:
            continue
        source = note.text or ""
        first, past = np.searchsorted(text.note_of, [at, at + 1])
        begins = text.begins[first:past]
        reached = -1
        for edit in sorted(perturbed.edits[note.note_id]):
            low, high = _whole_words(source, edit.begin, edit.end)
            if low <= reached:  # they may grow together
                return None
            reached = high
            begin, end = (int(first + place) for place in np.searchsorted(begins, [low, high]))
            written = source[low : edit.begin] + edit.text + source[edit.end : high]
            words, starts, stops = _words(written, config.keep_numbers)
            made.append(EditedSegment(at, begin, end, words, edit, low, starts, stops))
    longest = config.most_words(len(text.notes))
    if longest is not None and not _fits(text, made, longest):
        return None
    return tuple(made)


def spliced(text: ChartText, perturbed: Perturbation, found: Sequence[EditedSegment]) -> ChartText:
    """The chart after a perturbation, made of the words that stayed and the few that are new."""
    words: list[str] = []
    places: list[npt.NDArray[np.int32]] = []
    shift = done = 0
    note = -1

    def keep(until: int) -> None:
        words.extend(text.words[done:until])
        part = slice(done, until)
        kept = np.stack([text.note_of[part], text.begins[part], text.ends[part]])
        kept[1:, kept[0] == note] += shift
        places.append(kept)

    for one in found:
        keep(one.begin)
        if one.note != note:
            note, shift = one.note, 0
        words += one.words
        new = np.array([one.begins, one.ends], np.int32).reshape(2, -1) + one.low + shift
        places.append(np.vstack([np.full(new.shape[1], note, np.int32), new]))
        shift += len(one.edit.text) - (one.edit.end - one.edit.begin)
        done = one.end
    keep(len(text))
    note_of, begins, ends = np.concatenate(places, axis=1).astype(np.int32)
    notes = tuple(perturbed.applied(text.notes))
    return ChartText(text.chart_id, notes, tuple(words), note_of, begins, ends, text.cut)


def _fits(text: ChartText, made: Sequence[EditedSegment], longest: int) -> bool:
    """Whether the cut is where it was."""
    grown = sum(len(one.words) - (one.end - one.begin) for one in made)
    if not text.cut:
        return len(text) + grown <= longest
    return grown == 0 and all(one.end < len(text) for one in made)


def _whole_words(source: str, begin: int, end: int) -> tuple[int, int]:
    """The range widened to the ends of the words that it touches."""
    while begin and _is_word(source[begin - 1]):
        begin -= 1
    while end < len(source) and _is_word(source[end]):
        end += 1
    return begin, end


@lru_cache(maxsize=4096)
def _words(written: str, numbers: bool) -> tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]]:
    """The words of a short text and their places; the same replacements come again and again."""
    found = list(tokens(written, numbers=numbers))
    words = tuple(token.word for token in found)
    return words, tuple(t.span.begin for t in found), tuple(t.span.end for t in found)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
