"""Codes of a table by the words of their descriptions, or by their beginning."""

from __future__ import annotations

import re
from collections.abc import Sequence

from auscult.codes.table import CodeEntry, CodeTable


def search_table(
    table: CodeTable, words: Sequence[str], *, billable: bool = False
) -> list[CodeEntry]:
    """The rows that have all the words, and those whose code begins with a single one.

    Codes that begin so come first, in their order; then whole words before parts of words, and
    short descriptions before long ones.

    >>> codes = {"I509": "Heart failure", "R12": "Heartburn", "I51": "Heart disease, other"}
    >>> table = CodeTable("ICD-10-CM", "mine", codes)
    >>> [entry.value for entry in search_table(table, ["heart"])]
    ['I50.9', 'I51', 'R12']
    >>> [entry.value for entry in search_table(table, ["i5"])]
    ['I50', 'I50.9', 'I51']
    """
    wanted = [word.lower() for word in words]
    start = wanted[0].replace(".", "").upper() if len(wanted) == 1 else None
    found: list[tuple[tuple[object, ...], CodeEntry]] = []
    for entry in table:
        if billable and not entry.billable:
            continue
        described = (entry.description or "").lower()
        if start and entry.value.replace(".", "").startswith(start):
            found.append(((0, 0, 0, entry.value), entry))
        elif all(word in described for word in wanted):
            whole = set(re.findall(r"\w+", described))
            parts = sum(1 for word in wanted if not set(re.findall(r"\w+", word)) <= whole)
            found.append(((1, parts, len(described), entry.value), entry))
    return [entry for _, entry in sorted(found, key=lambda ranked: ranked[0])]
