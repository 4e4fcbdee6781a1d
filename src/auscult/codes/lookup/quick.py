"""What can be said of a query at once, while the search of a system is not compiled yet."""

from __future__ import annotations

import re

from auscult.codes.lookup.clinicians import clinician_table
from auscult.codes.lookup.code_search import CodeMatch
from auscult.codes.lookup.descent import Descent
from auscult.codes.lookup.readings import PhraseQuery, QueryReadings
from auscult.codes.table import CodeEntry, CodeTable
from auscult.codes.tabular.current import tabular_list
from auscult.core import Code

_SYSTEM = "ICD-10-CM"
_BEGINNING = re.compile(r"[A-Za-z]|(?=[A-Za-z.]*[0-9])[A-Za-z0-9.]+")


def starting_codes(table: CodeTable, text: str) -> tuple[CodeEntry, ...]:
    """The codes and headings that begin as a query does, in order.

    It has to be one token with a digit, or one letter: DM is diabetes rather than the beginning of
    a procedure code.
    """
    token = text.strip()
    return table.starting(token) if _BEGINNING.fullmatch(token) else ()


def quick_matches(text: str, note: str | None = None) -> list[CodeMatch]:
    """The ICD-10-CM codes that the clinicians' table has for the whole phrase, likeliest first.

    >>> [match.code.value for match in quick_matches("CHF")][:1]
    ['I50.9']
    """
    listed = tabular_list()
    descent = Descent(listed)
    found: dict[str, CodeMatch] = {}
    for meant in QueryReadings(clinician_table(), {}).whole(PhraseQuery.of(text, note)):
        value = descent.default(meant.code)
        found.setdefault(
            value,
            CodeMatch(
                Code(_SYSTEM, value),
                listed.describe(value) or "",
                listed.is_billable(value),
                meant.score,
                descent.heading(value),
                meant.because,
            ),
        )
    return list(found.values())
