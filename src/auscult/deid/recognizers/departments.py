"""Departments and services, which are in every hospital and name none: the Nutrition Unit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from auscult.deid.capitalized_words import CapitalizedWord
from auscult.deid.lexicon import NAME, is_ordinary, lines

DEPARTMENTS = frozenset((
    "department", "departments", "dept", "service", "services", "unit", "units", "ward", "wards",
    "division", "section", "room", "rooms", "laboratory", "lab", "consultation", "consultations",
    "office", "team", "clinic", "clinics", "program", "programme", "directorate", "area", "floor",
    "suite", "outpatient", "center", "centre", "school",
))  # fmt: skip
"""Words for a part of a hospital."""
_FIELD = re.compile(
    r".*(?:olog(?:y|ic|ical|ist|ists)|iatr(?:y|ic|ics|ist)|surg(?:ery|ical|eon)|metry|therap(?:y|ies)"
    r"|paedics?|opedics?|obstetrics|scopy|graphy|donti(?:a|cs?)|dentistry|medicine)"
)


@cache
def general() -> frozenset[str]:
    """Words of departments and headings: a name made of nothing but these names no hospital."""
    return frozenset(lines("departments"))


def is_field(word: CapitalizedWord) -> bool:
    """Whether a word is a field of medicine, by its ending."""
    return not word.flags & NAME and _FIELD.fullmatch(word.key) is not None


def is_general(word: CapitalizedWord) -> bool:
    """Whether a word says what a department does, rather than whose it is."""
    return word.key in general() or word.key in DEPARTMENTS or is_field(word)


def is_department(words: Sequence[CapitalizedWord]) -> bool:
    """Whether words name a department by what it does, as the Peritoneal Dialysis Unit.

    Among them may be no name, which it may be called after, nor a word that no list has.
    """
    return any(word.key in DEPARTMENTS or is_field(word) for word in words) and all(
        is_general(word) or is_ordinary(word.key, word.flags) for word in words
    )


def skip_departments(text: str, words: Sequence[CapitalizedWord], first: int, last: int) -> int:
    """The first word behind a department, as of the hospital in `Dialysis Unit of Kestrel Manor`.

    `last + 1` when nothing is behind it.
    """
    begin = first
    for at in range(first, last):
        gap = text[words[at].end : words[at + 1].begin].split()
        if gap[:1] in (["of"], ["at"]) and is_department(words[begin : at + 1]):
            begin = at + 1
    return last + 1 if is_department(words[begin : last + 1]) else begin
