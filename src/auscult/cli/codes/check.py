"""`auscult codes check`: what is wrong with the codes of an encounter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from auscult.cli.codes.arguments import known_system
from auscult.cli.options import strict
from auscult.cli.output import command, exit_with_1, paragraph, wrapped

if TYPE_CHECKING:
    from auscult.codes.coding_edits import CodingFinding

_INDENT = 9


@click.command("check")
@click.argument("codes", nargs=-1, required=True)
@click.option("--system", default="ICD-10-CM", show_default=True, help="Code system of CODES.")
@click.option("--age", type=float, help="Age of the patient in years, for the age edits.")
@click.option("--sex", help="Sex of the patient, female or male, for the sex edits.")
@click.option("--unordered", is_flag=True, help="The order of CODES means nothing.")
@strict
@command
def check(
    codes: tuple[str, ...],
    system: str,
    age: float | None,
    sex: str | None,
    unordered: bool,
    strict: bool,
) -> Any:
    """Check the codes of one encounter against the Tabular List and the Official Guidelines.

    CODES are in the order of the claim, the first-listed diagnosis first. Each finding cites the
    instruction that it rests on and says what to do. Errors cannot be billed as they are, warnings
    may be wrong, notes name what an instruction asks for if it applies. With --strict, the exit
    code is 1 if there are errors or warnings.

    \b
    Example:
      auscult codes check E11.22 N18.4 I10
      auscult codes check Z38.00 P07.30 --age 0 --sex female
      auscult codes check 486 786.2 --system ICD-9-CM --json
    """
    from auscult.codes.coding_edits import EditSeverity, check_codes
    from auscult.codes.tables import table_of

    system = known_system(system)
    findings = check_codes(codes, system=system, age=age, sex=sex, first_listed=not unordered)
    if strict and any(finding.severity is not EditSeverity.NOTE for finding in findings):
        exit_with_1()
    listed = table_of(system)

    def say() -> None:
        for finding in findings:
            _tell(finding)
        if not findings:
            click.echo("No problems found.")

    found = {
        "system": system,
        "release": None if listed is None else listed.release,
        "codes": list(codes),
        "findings": [finding.to_dict() for finding in findings],
    }
    return found, say


def _tell(finding: CodingFinding) -> None:
    color = {"error": "red", "warning": "yellow"}.get(finding.severity)
    said = wrapped(f"{finding.severity:8} {finding.rule}: {finding.problem}.", hanging=_INDENT)
    click.echo(click.style(said[: _INDENT - 1], fg=color, bold=True) + said[_INDENT - 1 :])
    for line in (finding.advice, finding.citation):
        if line:
            paragraph(" " * _INDENT + line, hanging=_INDENT)
