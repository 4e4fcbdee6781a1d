"""What a patient takes, cannot take and measures: drugs, allergies, body mass, weeks of pregnancy.

ICD-10-CM Official Guidelines, Section I.C.21.c.3: Z79 is for drugs that are taken for long, not for
those of this illness; I.B.14: the body mass index is coded beside the diagnosis of the weight;
I.C.21.c.11: Z3A has the weeks of a pregnancy; Z88 and Z91.0 have allergies that are not acute.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from auscult.assertion import Scopes
from auscult.codes.coding_edits.finding import official
from auscult.codes.locate.note_words import NoteWords
from auscult.core import Span
from auscult.models.codebook.mention import ABSENT, Mention, of_phrase
from auscult.models.codebook.phrase_table import phrase_table
from auscult.models.codebook.sections import NoteSections, Section

_LONG_TERM = official("I.C.21.c.3")
_WEIGHT = official("I.B.14")
_WEEKS = official("I.C.21.c.11")
_TAKING = re.compile(
    r"(?:\bon|\btaking|\btakes|\bchronic|\bchronically|\blong[- ]term|\bmaintained on|\bhome"
    r"|\bunder(?: treatment with)?|\bmedications?:?|\bmeds:?|\banticoagulated with"
    r"|\b(?:chronic|usual|regular|maintenance) (?:treatment|therapy) with)"
    r"\s+(?:[\w-]+[\s,]+){0,2}$",
    re.IGNORECASE,
)
_TREATED = re.compile(
    r"\b(?:treated|treatment|controlled|managed|therapy|receiving|receives) (?:with |by )?"
    r"(?:[\w-]+[\s,]+){0,2}$",
    re.IGNORECASE,
)
_FOR_LONG = frozenset(("Z79.01", "Z79.02", "Z79.4", "Z79.84"))
"""Drugs that are given for long as a rule, so that a treatment with them is one."""
_LASTING = re.compile(
    r"[\s,-]*(?:therapy|use|dependent|for (?:many )?years|long[- ]term)\b", re.IGNORECASE
)
_STARTED = re.compile(
    r"\b(?:started|begun|initiated|switched|placed|put|increased)\b", re.IGNORECASE
)
_BEFORE = 45
_ALLERGIC = re.compile(
    r"\b(?:allergic|allergy|allergies|intolerance|intolerant|anaphylaxis) (?:to|with)\s+"
    r"(?:[\w-]+[\s,]+(?:and |or )?){0,3}$",
    re.IGNORECASE,
)
_WEEK_WORDS = frozenset(("week", "weeks", "wk", "wks", "w"))
_MASS = re.compile(
    r"\b(?:BMI|body mass index)\b(?:\s*\(BMI\))?[\s:=]*(?:is|was|of|at)?\s*(\d{2}(?:[.,]\d+)?)\b",
    re.IGNORECASE,
)
_AGE = re.compile(
    r"\b(\d{1,3})[\s-]*(?:years?|yrs?|y)[\s/.-]*(?:old\b|o\b)"
    r"|\b\d{1,3}[\s-]*(?:months?|mos?|weeks?|wks?|days?)[\s-]*old\b",
    re.IGNORECASE,
)
_ADULT = 20
_PREGNANT = re.compile(
    r"\b(\d{1,2})(?:\s*(?:\+|and)\s*\d/?7?)?[\s-]*(?:weeks?|wks?|w)\b(?=[^.\n]{0,30}"
    r"\b(?:gestation|gestational|pregnan\w*|GA|IUP|amenorrhea)\b)"
    r"|\b(?:gestation(?:al age)?|pregnan\w*|IUP)\b[^.\n]{0,20}?\b(\d{1,2})[\s-]*(?:weeks?|wks?)\b",
    re.IGNORECASE,
)


def present_state(
    number: int, text: str, words: NoteWords, scopes: Scopes, sections: NoteSections
) -> Iterator[Mention]:
    """What the text of note `number`, which has these words, says of drugs, weight, pregnancy."""
    for span, code in phrase_table("allergies.tsv").find(text, words):
        before = text[max(0, span.begin - _BEFORE) : span.begin]
        is_listed = sections.at(span) is Section.ALLERGIES
        if (is_listed or _ALLERGIC.search(before)) and scopes.at(span) not in ABSENT:
            said = span.of(text).lower()
            yield of_phrase(number, span, code, f"allergic to {said}", _LONG_TERM, said)
    for span, code in phrase_table("medications.tsv").find(text, words):
        before = text[max(0, span.begin - _BEFORE) : span.begin]
        is_taken = (
            sections.at(span) is Section.MEDICATIONS
            or _TAKING.search(before) is not None
            or (code in _FOR_LONG and _TREATED.search(before) is not None)
            or _LASTING.match(text, span.end) is not None
        ) and not before.lower().endswith(("non-", "non "))
        if is_taken and not is_new_drug(text, span.begin) and scopes.at(span) not in ABSENT:
            said = span.of(text).lower()
            yield of_phrase(number, span, code, f"takes {said}", _LONG_TERM, said)
    for match in _MASS.finditer(text) if not words.said.isdisjoint(("bmi", "mass")) else ():
        mass = _mass_code(float(match[1].replace(",", ".")))
        if mass is not None and not _is_child(text):
            said = match[0]
            yield of_phrase(number, Span(*match.span()), mass, "body mass index", _WEIGHT, said)
    for match in _PREGNANT.finditer(text) if not words.said.isdisjoint(_WEEK_WORDS) else ():
        week = _week_code(int(match[1] or match[2]))
        said = match[0]
        is_asked = "?" in said or "LMP" in said
        if week is not None and not is_asked and scopes.at(Span(*match.span())) not in ABSENT:
            yield of_phrase(number, Span(*match.span()), week, "weeks of pregnancy", _WEEKS, said)


def is_new_drug(text: str, begin: int) -> bool:
    """Whether the words before a drug say that it was begun, not that it is taken for long."""
    return _STARTED.search(text, max(0, begin - _BEFORE), begin) is not None


def _is_child(text: str) -> bool:
    """Whether a note says first that the patient is no adult: then percentiles are coded."""
    found = _AGE.search(text)
    return found is not None and int(found[1] or 0) < _ADULT


def _mass_code(index: float) -> str | None:
    """The code of an adult's body mass index.

    >>> [_mass_code(value) for value in (17.5, 26.4, 43.0, 71.0, 95.0)]
    ['Z68.1', 'Z68.26', 'Z68.41', 'Z68.45', None]
    """
    if not 10 <= index < 90:
        return None
    if index < 20:
        return "Z68.1"
    if index < 40:
        return f"Z68.{int(index)}"
    steps = ((45, "Z68.41"), (50, "Z68.42"), (60, "Z68.43"), (70, "Z68.44"))
    return next((code for end, code in steps if index < end), "Z68.45")


def _week_code(weeks: int) -> str | None:
    """The code of a week of pregnancy.

    >>> [_week_code(weeks) for weeks in (6, 8, 39, 42, 43, 60)]
    ['Z3A.01', 'Z3A.08', 'Z3A.39', 'Z3A.42', 'Z3A.49', None]
    """
    if not 1 <= weeks <= 45:
        return None
    if weeks < 8:
        return "Z3A.01"
    return f"Z3A.{weeks:02}" if weeks <= 42 else "Z3A.49"
