"""A report as the model reads it: the section and the assertion status of each word."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from weakref import WeakKeyDictionary

from auscult.assertion import Assertion, Scopes
from auscult.core import Span
from auscult.models.chart_text import ChartText
from auscult.models.linear.features import sections
from auscult.models.radiology.concepts import ConceptHit, packaged

HISTORY, IMPRESSION, OTHER = "history", "impression", "other"
PARTS = (HISTORY, IMPRESSION, OTHER)
_HISTORY = ("history", "indication", "reason", "complaint", "clinical", "symptom", "hx")
_IMPRESSION = ("impression", "conclusion", "assessment", "diagnos", "interpretation", "opinion")
AFFIRMED, KNOWN, PAST, UNCERTAIN, DENIED = "affirmed", "known", "past", "uncertain", "denied"
HOWS = (AFFIRMED, KNOWN, PAST, UNCERTAIN, DENIED)
_HOW = {
    Assertion.PRESENT: AFFIRMED,
    Assertion.HISTORICAL: PAST,
    Assertion.UNCERTAIN: UNCERTAIN,
    Assertion.HYPOTHETICAL: UNCERTAIN,
    Assertion.NEGATED: DENIED,
    Assertion.FAMILY: DENIED,
}
_BETWEEN = 4
"""Words that may stand between two alternatives, with the "or"."""
_REACH = 6
"""Number of words after "history of" that it applies to."""

Cell = tuple[str, str, str]
"""A concept, the part of the report it is named in, and how it is meant there."""


@dataclass(frozen=True, eq=False)
class RadiologyText:
    """The part and the sense of each word, and the concepts that words name."""

    parts: list[str] = field(repr=False)
    hows: list[str] = field(repr=False)
    hits: list[ConceptHit] = field(repr=False)

    def cells(self) -> Iterator[tuple[Cell, ConceptHit]]:
        """Each concept that is named, where and how."""
        for hit in self.hits:
            yield (hit.concept, self.parts[hit.begin], self.hows[hit.begin]), hit


_known: WeakKeyDictionary[ChartText, RadiologyText] = WeakKeyDictionary()
"""Cache of the charts in use, since training processes each several times."""


def prepare(text: ChartText) -> RadiologyText:
    """The words of a chart with what the model has to know of each."""
    found = _known.get(text)
    if found is None:
        hits = list(packaged().find(text.words))
        hows = _hows(text)
        _doubt_alternatives(text, hits, hows)
        found = _known[text] = RadiologyText(
            [_part(heading) for heading in sections(text)], hows, hits
        )
    return found


def _part(heading: str) -> str:
    heading = heading.lower()
    if any(word in heading for word in _IMPRESSION):
        return IMPRESSION
    return HISTORY if any(word in heading for word in _HISTORY) else OTHER


def _hows(text: ChartText) -> list[str]:
    scopes = [Scopes.of(note.text or "") for note in text.notes]
    places = zip(text.note_of.tolist(), text.begins.tolist(), text.ends.tolist(), strict=True)
    hows = [_HOW[scopes[note].at(Span(begin, end))] for note, begin, end in places]
    words = text.words
    for at in range(len(words) - 1):
        if words[at] in ("history", "hx", "h") and words[at + 1] in ("of", "o"):
            for later in range(at + 2, min(at + 2 + _REACH, len(words))):
                if _is_apart(text, later):
                    break
                if hows[later] == AFFIRMED:
                    hows[later] = KNOWN
    return hows


def _is_apart(text: ChartText, at: int) -> bool:
    """Whether a sentence or a note ends between a word and the one before it."""
    if text.note_of[at] != text.note_of[at - 1]:
        return True
    whole = text.notes[text.note_of[at]].text or ""
    return any(mark in whole[text.ends[at - 1] : text.begins[at]] for mark in ".;:?!\n")


def _doubt_alternatives(text: ChartText, hits: list[ConceptHit], hows: list[str]) -> None:
    """Mark alternatives joined by "or" as uncertain."""
    for before, after in pairwise(hits):
        between = text.words[before.end : after.begin]
        if (
            "or" in between
            and len(between) <= _BETWEEN
            and before.concept != after.concept
            and not any(_is_apart(text, at) for at in range(before.end, after.begin + 1))
        ):
            for hit in (before, after):
                for at in range(hit.begin, hit.end):
                    if hows[at] == AFFIRMED:
                        hows[at] = UNCERTAIN


def cells_of(text: ChartText) -> tuple[Cell, ...]:
    """The concepts that a chart names, where and how, in order."""
    return tuple(cell for cell, _ in prepare(text).cells())
