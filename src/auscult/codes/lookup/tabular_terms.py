"""The wordings of a table of codes: descriptions, and inclusion terms where it has them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from auscult.codes.lookup.terms import SearchTerm, TermSource
from auscult.codes.lookup.words import without_doubt
from auscult.codes.table import CodeTable
from auscult.codes.tabular.tabular_list import TabularList

_PARENTHESES = re.compile(r"[\[(]([^\[\]()]*)[\])]")
_RESIDUAL = re.compile(r"\s*other\b(?! and unspecified)", re.IGNORECASE)
_MALIGNANT = re.compile(r"\bmalignant (?:neoplasms?|tumou?rs?)\b", re.IGNORECASE)


def table_terms(table: CodeTable) -> Iterator[SearchTerm]:
    """The descriptions of a table."""
    for entry in table:
        if entry.description:
            yield from description_terms(entry.value, entry.description)


def tabular_terms(listed: TabularList) -> Iterator[SearchTerm]:
    """Descriptions and inclusion terms of the Tabular List.

    Codes with a 7th character are reached through the code that they extend, by the words of the
    encounter.
    """
    for entry in listed.without_seventh():
        yield from description_terms(entry.value, entry.description or "")
    for value, term in listed.terms():
        yield from term_of(term, value, TermSource.INCLUSION)


def description_terms(value: str, description: str) -> Iterator[SearchTerm]:
    """A description, and what it is called when a malignant neoplasm is called cancer."""
    return term_of(description, value, TermSource.DESCRIPTION)


def term_of(text: str, value: str, source: TermSource) -> Iterator[SearchTerm]:
    """A name as it stands: what is in parentheses may be left out."""
    words, optional = (
        _PARENTHESES.sub(" ", without_doubt(text)),
        " ".join(_PARENTHESES.findall(text)),
    )
    residual = bool(_RESIDUAL.match(text))
    yield SearchTerm(words or text, value, source, text, optional, residual, not residual)
    cancer = _MALIGNANT.sub("cancer", words)
    if cancer != words:
        yield SearchTerm(cancer, value, source, text, optional, residual, not residual)
