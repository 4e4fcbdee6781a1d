"""Everything that may identify someone in the notes of one patient."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auscult.core import Note
from auscult.corpus.deid.found import Found, Kind, Part, resolved
from auscult.corpus.deid.lexicon import folded
from auscult.corpus.deid.recognisers import Recogniser, Sight
from auscult.corpus.deid.recognisers.known import find_known
from auscult.corpus.deid.shift import day_of

_SHORTEST = 3


def detect(
    notes: Sequence[Note],
    recognisers: Sequence[Recogniser],
    *,
    day_first: bool = False,
    known: Mapping[str, Part] | None = None,
) -> list[list[Found]]:
    """The findings of each note of one patient, in order, none overlapping another.

    Notes are read twice: a name that is certain in one, or among the `known`, is then looked for
    in all of them.
    """
    sights = [Sight(note.text or "", day_of(note.time), day_first) for note in notes]
    first = [
        [found for recogniser in recognisers for found in recogniser.find(sight)]
        for sight in sights
    ]
    names = {**_names(sights, first), **(known or {})}
    return [
        _settled(sight, [*found, *find_known(sight, names)])
        for sight, found in zip(sights, first, strict=True)
    ]


def _names(sights: Sequence[Sight], found: Sequence[Sequence[Found]]) -> Mapping[str, Part]:
    """The names that are certain, by their letters."""
    names: dict[str, Part] = {}
    for sight, listed in zip(sights, found, strict=True):
        for one in listed:
            if one.kind is Kind.NAME and not one.doubt and one.part is not Part.INITIAL:
                key = folded(sight.text[one.begin : one.end])
                if len(key) >= _SHORTEST:
                    names.setdefault(key, one.part)
    return names


def _settled(sight: Sight, found: list[Found]) -> list[Found]:
    """Without overlaps; whatever was found outside the text is a defect of a recogniser."""
    length = len(sight.text)
    inside = [one for one in found if 0 <= one.begin < one.end <= length]
    return resolved(inside, text=sight.text)
