"""What can be said of a query at once, while the search of a system is not compiled yet."""

from __future__ import annotations

import re

from auscult.codes.lookup.clinicians import WordingKind, clinician_table
from auscult.codes.lookup.code_search import CodeMatch
from auscult.codes.lookup.descent import Descent
from auscult.codes.lookup.words import words_of
from auscult.codes.table import CodeEntry, CodeTable
from auscult.codes.tabular.current import tabular_list
from auscult.core import Code

_SYSTEM = "ICD-10-CM"
_LATER = 0.06
"""How much less each further meaning counts."""
_BEGINNING = re.compile(r"[A-Za-z]|(?=[A-Za-z.]*[0-9])[A-Za-z0-9.]+")


def starting_codes(table: CodeTable, text: str) -> tuple[CodeEntry, ...]:
    """The codes and headings that begin as a query does, in order.

    It has to be one token with a digit, or one letter: DM is diabetes rather than the beginning of
    a procedure code.
    """
    token = text.strip()
    return table.starting(token) if _BEGINNING.fullmatch(token) else ()


def quick_matches(text: str) -> list[CodeMatch]:
    """The ICD-10-CM codes that the clinicians' table has for the whole phrase, likeliest first.

    >>> [match.code.value for match in quick_matches("CHF")][:1]
    ['I50.9']
    """
    words = words_of(text)
    in_capitals = any(character.isupper() for character in text)
    meant = clinician_table().meanings(words, frozenset(), in_capitals=in_capitals)
    listed = tabular_list()
    descent = Descent(listed)
    found: dict[str, CodeMatch] = {}
    for wording in meant:
        if not wording.code:
            continue
        value = descent.default(wording.code)
        short = wording.kind is WordingKind.ABBREVIATION and wording.means
        why = f"{wording.kind} {wording.term}" + (f": {wording.means}" if short else "")
        score = 1.0 - _LATER * len(found)
        described, billable = listed.describe(value) or "", listed.is_billable(value)
        found.setdefault(value, CodeMatch(Code(_SYSTEM, value), described, billable, score, why))
    return list(found.values())
