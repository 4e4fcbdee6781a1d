"""Check the codes of an encounter against the Tabular List and the Official Guidelines."""

from __future__ import annotations

from collections.abc import Sequence

from auscult.codes.coding_edits.code_book import code_book
from auscult.codes.coding_edits.coded_chart import CodedChart
from auscult.codes.coding_edits.finding import CodingFinding
from auscult.codes.coding_edits.registry import RULES, SYSTEMS_CHECKED
from auscult.codes.coding_edits.sexes import FEMALE, MALE
from auscult.codes.systems import normalize
from auscult.core import Code, OptionError

_SEXES = {"f": FEMALE, "female": FEMALE, "m": MALE, "male": MALE}


def check_codes(
    codes: Sequence[Code | str],
    *,
    system: str = "ICD-10-CM",
    age: float | None = None,
    sex: str | None = None,
    first_listed: bool = True,
) -> list[CodingFinding]:
    """What is wrong with the codes of one encounter, the most severe first.

    `codes` are in the order of the claim; with `first_listed=False` their order means nothing. The
    edits of age (in years) and sex (`female` or `male`) need those two. Plain strings are codes of
    `system`; codes of other systems are left out.

    >>> [(f.rule, f.codes) for f in check_codes(["E10.9", "E11.9"]) if f.severity == "error"]
    [('excludes1', ('E10.9', 'E11.9'))]
    """
    if system not in SYSTEMS_CHECKED:
        raise OptionError(
            f"There are no coding rules for {system}; choose from {', '.join(SYSTEMS_CHECKED)}."
        )
    if age is not None and not 0 <= age <= 124:
        raise OptionError(f"Expected an age in years from 0 to 124, got {age:g}.")
    if sex is not None and sex.lower() not in _SEXES:
        raise OptionError(f"Expected the sex female or male, got {sex!r}.")
    values = [
        normalize(system, code if isinstance(code, str) else code.value)
        for code in codes
        if isinstance(code, str) or code.system == system
    ]
    chart = _chart(values, system, age, sex and _SEXES[sex.lower()], first_listed)
    found = [finding for rule in RULES if system in rule.systems for finding in rule.check(chart)]
    # What the book itself says of two codes needs no second finding by the general rule.
    excluded = [set(finding.codes) for finding in found if finding.rule == "excludes1"]
    found = [
        finding
        for finding in found
        if finding.rule != "symptom-with-diagnosis" or set(finding.codes) not in excluded
    ]
    return sorted(found, key=lambda finding: finding.severity.rank)


def _chart(
    values: list[str], system: str, age: float | None, sex: str | None, in_order: bool
) -> CodedChart:
    book = code_book()
    known = map(book.facts, dict.fromkeys(values)) if system == "ICD-10-CM" else ()
    facts = tuple(code for code in known if code.is_known)
    return CodedChart(system, tuple(values), facts, book, age, sex, in_order)
