"""The sections of a note by their headings, since where something stands says what it means.

A diagnosis in the assessment is a conclusion; the same word among instructions, laboratory values
or drugs is none. A heading that names a problem (*Pneumonia:*) is no section.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from importlib.resources import files

from auscult.core import Span


class Section(StrEnum):
    """What stands in a section; `NONE` where a note has no known heading."""

    NONE = "none"
    DIAGNOSES = "diagnoses"
    HISTORY = "history"
    SURGERIES = "surgeries"
    SOCIAL = "social"
    FAMILY = "family"
    EXAM = "exam"
    RESULTS = "results"
    MEDICATIONS = "medications"
    ALLERGIES = "allergies"
    INSTRUCTIONS = "instructions"
    ADMINISTRATION = "administration"


UNCODED = frozenset(
    (
        Section.RESULTS,
        Section.MEDICATIONS,
        Section.ALLERGIES,
        Section.INSTRUCTIONS,
        Section.ADMINISTRATION,
    )
)
"""Sections whose words are not conditions of the patient, whatever they look like."""
_HEADING = re.compile(
    r"^[ \t]*(?:\d+[.)][ \t]*|[-*#•][ \t]*)?([A-Za-z][A-Za-z /&-]{0,42}?)[ \t]*"
    r"(?::|\n(?=[=-]{3,}))"
    r"|^[ \t]*([A-Z][A-Za-z /&-]{1,42}?)[ \t]*$",  # alone on its line
    re.MULTILINE,
)
_CLINICIANS = re.compile(
    r"\b(?:y/?o|pts?|hx|h/o|s/p|c/o|f/u|w/o|RTC|BID|TID|QID|prn|PRN|qhs|PO|BP|HR|SpO2|meds|PMH|PSH|HTN|DM2?"
    r"|T2DM|A1c|dx|tx|rx|wks?|mos|WNL|NAD|RRR|CTAB|ROS|A/P|POD|LTCS|EBL|QBL|EGA|G\dP\d+"
    r"|today|here (?:today )?(?:for|with)|returns (?:today|for|with)|assessment"
    r"|will (?:start|check|continue|increase|order|see|plan|obtain|refer)"
    r"|(?:follow[- ]?up|return|back|recheck|see (?:him|her)) in"
    r"|my (?:plan|impression|assessment)|I (?:think|discussed|recommended|will|have|reviewed|am))\b"
)
_CONCLUDING = frozenset(("dx", "diagnosis", "diagnoses", "assessment", "impression", "problems"))
_TRUST = {
    Section.DIAGNOSES: 2,
    Section.NONE: 1,
    Section.HISTORY: 1,
    Section.SURGERIES: 1,
    Section.SOCIAL: 1,
    Section.FAMILY: 1,
}


class NoteSections:
    """The sections of one note."""

    def __init__(self, headings: Sequence[tuple[Span, Section]]) -> None:
        self._headings = headings
        self._begins = [span.begin for span, _ in headings]

    @classmethod
    def of(cls, text: str) -> NoteSections:
        """The sections of a text.

        >>> NoteSections.of("Allergies: NKDA\\nA/P: gout").at(Span(21, 25))
        <Section.DIAGNOSES: 'diagnoses'>
        """
        known = _kinds()
        found = []
        for match in _HEADING.finditer(text):
            kind = _kind(_name(match), known)
            if kind is not None:
                found.append((Span(match.start(), match.end()), kind))
        return cls(found)

    def at(self, span: Span) -> Section:
        """The section that a span is in."""
        at = bisect_right(self._begins, span.begin) - 1
        return self._headings[at][1] if at >= 0 else Section.NONE

    def is_heading(self, span: Span) -> bool:
        """Whether a span is part of a heading itself."""
        at = bisect_right(self._begins, span.begin) - 1
        return at >= 0 and span.end <= self._headings[at][0].end


def is_of_encounter(text: str) -> bool:
    """Whether a text is a note of an encounter: by its headings, or the way clinicians write.

    A published case report has neither two known headings nor three of these short forms and turns.

    >>> is_of_encounter("68 yo M w/ HTN, DM2. Here today for f/u."), is_of_encounter("A man fell.")
    (True, False)
    """
    known = _kinds()
    headings = {_name(match) for match in _HEADING.finditer(text)}
    if sum(_kind(heading, known) is not None for heading in headings) >= 2:
        return True
    return len({match.lower() for match in _CLINICIANS.findall(text)}) >= 3


def _kind(name: str, known: Mapping[str, Section]) -> Section | None:
    """What a heading announces, or None if it is not known: *Secondary Dx* has diagnoses."""
    if name.split()[-1] in _CONCLUDING:
        return Section.DIAGNOSES
    return known.get(name)


def _name(match: re.Match[str]) -> str:
    return " ".join((match[1] or match[2]).lower().split())


def trust(section: Section) -> int:
    """How much a section is a conclusion: 2 for diagnoses, 0 for examinations and the like."""
    return _TRUST.get(section, 0)


@cache
def _kinds() -> dict[str, Section]:
    text = files("auscult.models.codebook").joinpath("sections.toml").read_text(encoding="utf-8")
    listed = tomllib.loads(text)
    return {name: Section(kind) for kind, names in listed.items() for name in names}
