"""Codes that the release in use does not have, each with what it probably is."""

from __future__ import annotations

from collections.abc import Iterator

from auscult.codes.coding_edits.coded_chart import CodedChart
from auscult.codes.coding_edits.finding import CodingFinding, EditSeverity, official
from auscult.codes.coding_edits.other_tables import in_other_revision, named_release
from auscult.codes.coding_edits.specificity import listed_characters
from auscult.codes.systems import is_well_formed
from auscult.codes.table import CodeTable
from auscult.codes.tabular import TabularList
from auscult.core import Code


def check_existence(chart: CodedChart) -> Iterator[CodingFinding]:
    """Codes that are not in the table of their system: malformed, of another one, or retired."""
    table, known = chart.table, {code.value for code in chart.facts}
    for value in chart.different:
        if value in known or value in table:
            continue
        found = None
        then = named_release(chart.system, value)
        # A value that is not even of the right form says little by how it begins: E860.0.
        if chart.system == "ICD-10-CM" and not then and is_well_formed(Code(chart.system, value)):
            found = _wrong_characters(value, chart.book.listed)
        yield found or _elsewhere(chart.system, value, then, table)


def _wrong_characters(value: str, listed: TabularList) -> CodingFinding | None:
    """What is wrong with the last characters of a code whose beginning is a code or heading."""
    plain = value.upper().replace(".", "")
    padded = f"{plain[:-1]:X<6}{plain[-1]}"
    if 3 < len(plain) < 7 and listed.is_billable(padded):
        right = listed.written(padded)
        return CodingFinding(
            "placeholder",
            EditSeverity.ERROR,
            (value,),
            f"{value} has its 7th character in place {len(plain)}",
            f"Fill the empty places with the placeholder X: {right}.",
            official("I.A.4"),
        )
    base = listed.parent(value)
    seventh = None if base is None else listed.seventh_characters(base)
    if base is None or len(plain) > 7:
        return None
    if len(plain) == 7 and seventh is not None and not listed.is_billable(base):
        start = plain[:6].rstrip("X")
        if start != base.replace(".", "").rstrip("X"):
            return None
        return CodingFinding(
            "seventh-character",
            EditSeverity.ERROR,
            (value,),
            f"{value} has the 7th character {plain[-1]}, which {base} does not have",
            f"Use one of {listed_characters(seventh)}.",
            f"{official('I.A.5')}; 7th characters at {seventh.at}",
        )
    if listed.is_billable(base) and in_other_revision("ICD-10-CM", value) is None:
        return CodingFinding(
            "unknown-code",
            EditSeverity.ERROR,
            (value,),
            f"{value} has characters that {base} does not take",
            f"Use {base} ({listed.describe(base)}), which is a complete code.",
            official("I.B.2"),
        )
    return None


def _elsewhere(system: str, value: str, then: str | None, table: CodeTable) -> CodingFinding:
    """The finding for a code that is not in a table, by where it is."""
    release, parent = table.release, table.parent(value)
    other = None if then else in_other_revision(system, value)
    if other is not None:
        return CodingFinding(
            "other-system",
            EditSeverity.ERROR,
            (value,),
            f"{value} is a code of {other.system} ({other.description}), not of {system}",
            f"Map it: auscult codes map {other.system} {other.value} --to {system}."
            if other.system == "ICD-9-CM" or system == "ICD-9-CM"
            else f"Report it as {other.system}.",
        )
    if then is not None:
        return CodingFinding(
            "other-release",
            EditSeverity.ERROR,
            (value,),
            f"{value} was a code in {then} and is not in the one in use, {release}",
            f"Use a code of {release}" + (f" under {parent}." if parent else "."),
        )
    return CodingFinding(
        "unknown-code",
        EditSeverity.ERROR,
        (value,),
        f"{value} is not in {system}, release {release}",
        f"Look under {parent} (auscult codes show {system} {parent})."
        if parent
        else f"Look it up: auscult codes search {system} WORDS.",
    )
