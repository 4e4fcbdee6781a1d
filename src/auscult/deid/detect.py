"""Detect PHI in the notes of one patient."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auscult.core import Note
from auscult.deid.date_shift import day_of
from auscult.deid.lexicon import folded
from auscult.deid.phi_span import PhiKind, PhiPart, PhiSpan, resolved
from auscult.deid.recognizers import NoteView, Recognizer
from auscult.deid.recognizers.known_names import find_known

_SHORTEST = 3


def detect(
    notes: Sequence[Note],
    recognizers: Sequence[Recognizer],
    *,
    day_first: bool = False,
    known: Mapping[str, PhiPart] | None = None,
) -> list[list[PhiSpan]]:
    """The findings of each note of one patient, in order, none overlapping another.

    Notes are read twice: a name that is certain in one, or among the `known`, is then looked for
    in all of them.
    """
    sights = [NoteView(note.text or "", day_of(note.time), day_first) for note in notes]
    first = [
        [found for recognizer in recognizers for found in recognizer.find(sight)]
        for sight in sights
    ]
    names = {**_names(sights, first), **(known or {})}
    return [
        _settled(sight, [*found, *find_known(sight, names)])
        for sight, found in zip(sights, first, strict=True)
    ]


def _names(sights: Sequence[NoteView], found: Sequence[Sequence[PhiSpan]]) -> Mapping[str, PhiPart]:
    """The names that are certain, by their letters."""
    names: dict[str, PhiPart] = {}
    for sight, listed in zip(sights, found, strict=True):
        for one in listed:
            if one.kind is PhiKind.NAME and not one.doubt and one.part is not PhiPart.INITIAL:
                key = folded(sight.text[one.begin : one.end])
                if len(key) >= _SHORTEST:
                    names.setdefault(key, one.part)
    return names


def _settled(sight: NoteView, found: list[PhiSpan]) -> list[PhiSpan]:
    """Without overlaps; whatever was found outside the text is a defect of a recognizer."""
    length = len(sight.text)
    inside = [one for one in found if 0 <= one.begin < one.end <= length]
    return resolved(inside, text=sight.text)
