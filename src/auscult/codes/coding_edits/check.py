"""Check the codes of an encounter against the Tabular List and the Official Guidelines."""

from __future__ import annotations

from collections.abc import Sequence

from auscult.codes.coding_edits.code_book import code_book
from auscult.codes.coding_edits.coded_chart import CodedChart
from auscult.codes.coding_edits.finding import CodingFinding
from auscult.codes.coding_edits.registry import RULES, SYSTEMS_CHECKED
from auscult.codes.coding_edits.sexes import FEMALE, MALE
from auscult.codes.systems import normalize
from auscult.codes.tables import table_of
from auscult.core import Code, OptionError

_SEXES = {"f": FEMALE, "female": FEMALE, "m": MALE, "male": MALE}
_OLDEST = 124
_BOOK = "ICD-10-CM"


def check_codes(
    codes: Sequence[Code | str],
    *,
    system: str = _BOOK,
    age: float | None = None,
    sex: str | None = None,
    first_listed: bool = True,
) -> list[CodingFinding]:
    """What is wrong with the codes of one encounter, the most severe first.

    `codes` are in the order of the claim; with `first_listed=False` their order means nothing. The
    edits of age (in years) and sex (`female` or `male`) need those two. Plain strings are codes of
    `system`; codes of other systems are left out. For many charts, one `CodeChecker` is faster.

    >>> [(f.rule, f.codes) for f in check_codes(["E10.9", "E11.9"]) if f.severity == "error"]
    [('excludes1', ('E10.9', 'E11.9'))]
    """
    return CodeChecker(system).check(codes, age=age, sex=sex, first_listed=first_listed)


class CodeChecker:
    """The rules for one code system, with the release that was in use when it was made."""

    def __init__(self, system: str = _BOOK) -> None:
        table = table_of(system) if system in SYSTEMS_CHECKED else None
        if table is None:
            raise OptionError(
                f"There are no coding rules for {system}; choose from {', '.join(SYSTEMS_CHECKED)}."
            )
        self.system = system
        self._table = table
        self._book = code_book()
        self._rules = [rule for rule in RULES if system in rule.systems]

    def check(
        self,
        codes: Sequence[Code | str],
        *,
        age: float | None = None,
        sex: str | None = None,
        first_listed: bool = True,
    ) -> list[CodingFinding]:
        """As `check_codes`."""
        if age is not None and not 0 <= age <= _OLDEST:
            raise OptionError(f"Expected an age in years from 0 to {_OLDEST}, got {age:g}.")
        if sex is not None and sex.lower() not in _SEXES:
            raise OptionError(f"Expected the sex female or male, got {sex!r}.")
        values = tuple(
            normalize(self.system, code if isinstance(code, str) else code.value)
            for code in codes
            if isinstance(code, str) or code.system == self.system
        )
        known = map(self._book.facts, dict.fromkeys(values)) if self.system == _BOOK else ()
        chart = CodedChart(
            self.system,
            values,
            tuple(code for code in known if code.is_known),
            self._book,
            self._table,
            age,
            sex and _SEXES[sex.lower()],
            first_listed,
        )
        found = [finding for rule in self._rules for finding in rule.check(chart)]
        return sorted(_without_repeats(found), key=lambda finding: finding.severity.rank)


def _without_repeats(found: list[CodingFinding]) -> list[CodingFinding]:
    """What the book itself says of two codes needs no second finding by the general rule."""
    excluded = [set(finding.codes) for finding in found if finding.rule == "excludes1"]
    return [
        finding
        for finding in found
        if finding.rule != "symptom-with-diagnosis" or set(finding.codes) not in excluded
    ]
