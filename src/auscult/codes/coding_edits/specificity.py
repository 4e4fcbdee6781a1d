"""Codes that say too little: headings, and "unspecified" beside a code that says more."""

from __future__ import annotations

from collections.abc import Iterator

from auscult.codes.coding_edits.code_book import CodeFacts
from auscult.codes.coding_edits.coded_chart import CodedChart
from auscult.codes.coding_edits.finding import CodingFinding, EditSeverity, official
from auscult.codes.coding_edits.laterality import differ_in_side
from auscult.codes.coding_edits.other_tables import in_other_revision, named_release
from auscult.codes.tables import table_of
from auscult.codes.tabular import SeventhCharacters
from auscult.core import Code

_LISTED = 6
"""The most codes that advice lists."""


def needs_more_characters(code: Code) -> bool | None:
    """Whether a code is a heading, of which only the codes below are valid; None when unknown.

    >>> needs_more_characters(Code("ICD-10-CM", "I50")), needs_more_characters(Code("CPT", "1"))
    (True, None)
    """
    table = table_of(code.system)
    entry = None if table is None else table.get(code.value)
    return None if entry is None else not entry.billable


def check_billable(chart: CodedChart) -> Iterator[CodingFinding]:
    """Headings given as codes, with the codes below them."""
    table, whole = chart.table, {code.value for code in chart.facts if code.is_billable}
    for value in chart.different:
        if value in whole or not needs_more_characters(Code(chart.system, value)):
            continue
        seventh = None
        if chart.system == "ICD-10-CM":
            seventh = chart.book.listed.seventh_characters(value)
        below = table.children(value)
        if seventh is not None and below and all(len(code) == 8 for code in below):
            yield CodingFinding(
                "seventh-character",
                EditSeverity.ERROR,
                (value,),
                f"{value} has no 7th character",
                f"Add one, as in {below[0]}: {listed_characters(seventh)}.{_or_icd9(value)}",
                f"{official('I.A.5')}; 7th characters at {seventh.at}",
            )
            continue
        some = ", ".join(below[:_LISTED]) + (", …" if len(below) > _LISTED else "")
        then = named_release(chart.system, value)
        since = f" It was a valid code in {then}, and has been divided since." if then else ""
        yield CodingFinding(
            "not-billable",
            EditSeverity.ERROR,
            (value,),
            f"{value} is a heading and cannot be billed",
            f"Use the code below it that the record supports: {some}.{since}{_or_icd9(value)}",
            official("I.B.2"),
        )


def listed_characters(seventh: SeventhCharacters) -> str:
    """The 7th characters that there are, with what they mean as far as that fits a line."""
    if len(seventh.meanings) > _LISTED:
        return ", ".join(seventh.meanings)
    return ", ".join(f"{key} ({text})" for key, text in seventh.meanings.items())


def _or_icd9(value: str) -> str:
    """That a heading is also a code of the other revision: V10.3 is, in both."""
    other = in_other_revision("ICD-10-CM", value)
    return "" if other is None else f" In {other.system}, {other.value} is {other.description}."


def check_unspecified(chart: CodedChart) -> Iterator[CodingFinding]:
    """Codes titled "unspecified" beside a code under the same heading that says more."""
    for code in chart.facts:
        if not _is_residual(code):
            continue
        heading = code.headings[-1]
        for other in chart.facts:
            if heading in other.headings and _says_more(other, code):
                yield CodingFinding(
                    "unspecified-beside-specific",
                    EditSeverity.WARNING,
                    (code.value, other.value),
                    f"{code.value} ({code.description}) is beside {other.value}, which says more "
                    f"under the same heading {heading}",
                    f"Drop {code.value} if it is the same condition; keep it for a second one that "
                    "the record does not specify.",
                    official("I.B.18"),
                )
                break


def _says_more(other: CodeFacts, code: CodeFacts) -> bool:
    """Whether another code says all that was left open; an open side is the laterality rule's."""
    return "nspecified" not in other.description and not differ_in_side(code, other)


def _is_residual(code: CodeFacts) -> bool:
    """Whether it is what its heading has for a condition without details: I50.9, M17.10, F32.A.

    A41.2 is not: in its title something else than the condition is unspecified.
    """
    last = code.value[-1]
    ends = last in "90" or (last.isalpha() and code.description.endswith("unspecified"))
    return ends and bool(code.headings) and "nspecified" in code.description
