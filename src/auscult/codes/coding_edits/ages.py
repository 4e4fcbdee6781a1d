"""Age edits: codes whose words, or the notes over them, are about an age.

The limits in years are those of the Medicare Code Editor where the Tabular List has words alone:
newborn 0, pediatric 0–17, maternity 9–64, adult 15 and older.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from auscult.codes.coding_edits.code_book import CodeFacts
from auscult.codes.coding_edits.coded_chart import CodedChart
from auscult.codes.coding_edits.finding import CodingFinding, EditSeverity, official
from auscult.codes.tabular import Instruction, InstructionKind

_EDITOR = "Medicare Code Editor, age conflict"
_ADULT = re.compile(r"\bage-related\b|\bsenile\b|\bin adults\b|\badult medical\b", re.IGNORECASE)
_CHILD = re.compile(r"\bchild health\b|\bpediatric feeding\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AgeLimits:
    """The ages in years, both included, that codes are of, and what says so."""

    who: str
    least: int
    most: int
    guideline: str
    note: Instruction | None = None


def _note(text: str, at: str) -> Instruction:
    return Instruction(InstructionKind.NOTE, text, at)


_NEWBORN = AgeLimits(
    "newborns",
    0,
    0,
    f"{official('I.C.16.a')}; {_EDITOR}",
    _note(
        "Codes from this chapter are for use on newborn records only, never on maternal records",
        "chapter 16",
    ),
)
# By how a code begins; the longest beginning counts.
_LIMITS = {
    "P": _NEWBORN,
    "Z38": AgeLimits("newborns", 0, 0, f"{official('I.C.21.c.12')}; {_EDITOR}"),
    "Z00.11": AgeLimits("newborns", 0, 0, f"{official('I.C.21.c.13')}; {_EDITOR}"),
    **dict.fromkeys(
        ("O", "Z33", "Z34", "Z37", "Z39", "Z3A"),
        AgeLimits("patients of childbearing age", 9, 64, f"{_EDITOR} (maternity, 9–64)"),
    ),
    **dict.fromkeys(
        ("Z68.1", "Z68.2", "Z68.3", "Z68.4"),
        AgeLimits(
            "adults of 20 years and older",
            20,
            124,
            "",
            _note("BMI adult codes are for use for persons 20 years of age or older", "Z68"),
        ),
    ),
    "Z68.5": AgeLimits(
        "patients of 2 to 19 years",
        2,
        19,
        "",
        _note("BMI pediatric codes are for use for persons 2-19 years of age.", "Z68"),
    ),
}
_ADULTS = AgeLimits("adults", 15, 124, f"{_EDITOR} (adult, 15–124)")
_CHILDREN = AgeLimits("children", 0, 17, f"{_EDITOR} (pediatric, 0–17)")


def check_age(chart: CodedChart) -> Iterator[CodingFinding]:
    """Codes of another age than the patient's."""
    if chart.age is None:
        return
    for code in chart.facts:
        limits = age_limits(code)
        # Years that were passed: with 0 and 11 months one is a newborn to the editor.
        if limits is None or limits.least <= int(chart.age) <= limits.most:
            continue
        later = code.value[0] == "P"
        yield CodingFinding(
            "age",
            EditSeverity.WARNING,
            (code.value,),
            f"{code.value} ({code.description}) is of {limits.who}, and the patient is "
            f"{chart.age:g} years old",
            "Check the code and the age. A condition of the perinatal period that is still present "
            "is coded at any age."
            if later
            else "Check the code and the age.",
            limits.guideline,
            limits.note,
        )


def age_limits(code: CodeFacts) -> AgeLimits | None:
    """The ages that a code is of; None when nothing says so."""
    for length in (6, 5, 3, 1):
        found = _LIMITS.get(code.value[:length])
        if found is not None:
            return found
    if _ADULT.search(code.description):
        return _ADULTS
    return _CHILDREN if _CHILD.search(code.description) else None


def check_maternal_and_newborn(chart: CodedChart) -> Iterator[CodingFinding]:
    """Codes of the mother's chapter and of the newborn's in one record."""
    mothers = [code.value for code in chart.facts if code.value[0] == "O"]
    newborns = [code.value for code in chart.facts if code.value[0] == "P"]
    if mothers and newborns:
        yield CodingFinding(
            "maternal-and-newborn",
            EditSeverity.ERROR,
            (mothers[0], newborns[0]),
            f"{mothers[0]} is for the mother's record and {newborns[0]} for the newborn's",
            "Move each code to the record that it belongs to.",
            official("I.C.16.a.1"),
            _NEWBORN.note,
        )
