"""`auscult codes map`: codes of another system."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.codes.arguments import known_system, open_gems
from auscult.cli.options import gems, strict
from auscult.cli.output import command, exit_with_1, paragraph
from auscult.core import Code, OptionError

if TYPE_CHECKING:
    from auscult.codes.mapping import Mapped

TARGET = "Target code system."
"""Help of `--to`, here and in `corpus map`."""
_GROUPERS = ("CCS", "CCSR")


@click.command("map")
@click.argument("system")
@click.argument("value")
@click.option("--to", required=True, help=TARGET)
@gems
@click.option(
    "--ccs",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="HCUP's file of CCS or CCSR categories, needed for procedures and ICD-10.",
)
@click.option("--prefer", "preferred", multiple=True, help="Preferred code; repeatable.")
@strict
@command
def map_(
    system: str,
    value: str,
    to: str,
    gems: Path | None,
    file: Path | None,
    preferred: tuple[str, ...],
    strict: bool,
) -> Any:
    """Map a code to another code system, and show which step decided.

    With --strict, the exit code is 1 if there is no mapping.

    \b
    Example:
      auscult codes map ICD-10-CM I10 --to ICD-9-CM --prefer 401.9
      auscult codes map ICD-10-PCS 02703DZ --to ICD-9-PCS --gems gems/
      auscult codes map ICD-9-CM 428.0 --to CCS
      auscult codes map ICD-9-PCS 36.10 --to CCS --ccs prref_2015.csv
      auscult codes map ICD-10-CM I50.9 --to CCSR --ccs DXCCSR_v2024-1.csv
    """
    from auscult.codes import describe, normalize
    from auscult.codes.mapping import map_code, preferred_codes

    system, to = known_system(system), known_system(to, _GROUPERS)
    code = Code(system, normalize(system, value))
    if to in _GROUPERS:
        return _group(code, to, file, strict)
    mappings = open_gems(system, to, gems)
    mapped = map_code(code, mappings, among=[("set", preferred_codes(preferred, to))])
    if strict and mapped.code is None:
        exit_with_1()

    def say() -> None:
        if mapped.code is None:
            click.echo(f"{code} has no mapping: {why_nothing(mapped)}.")
        else:
            paragraph(f"{mapped.code}  {describe(mapped.code) or ''}")
            by = f", by {mapped.by}" if mapped.by else ""
            via = f", via {mapped.via}" if mapped.via else ""
            absent = f" ({ABSENCES[mapped.absent]})" if mapped.absent else ""
            paragraph(f"step: {mapped.step}{by}{via}{absent}")
            if mapped.close:
                fit = "fits" if len(mapped.close) == 1 else "fit"
                others = ", ".join(mapped.close)
                paragraph(f"A close call: {others} {fit} about as well.")
        for other in mapped.alternatives:
            paragraph(f"or    {other:10} {describe(Code(to, other)) or ''}", hanging=17)
        for together in mapped.scenarios:
            paragraph(f"or together: {' + '.join(together)}")

    found = {
        **mapped.to_dict(),
        "source_system": system,
        "source_description": describe(code),
        "system": to,
        "description": mapped.code and describe(mapped.code),
        "descriptions": {other: describe(Code(to, other)) for other in mapped.alternatives},
    }
    return found, say


ABSENCES = {
    "malformed": "malformed",
    "heading": "a heading; only the billable codes below it are mapped",
    "unknown": "not in the code system's tables",
    "newer": "newer than the mappings",
}
"""Why a code is not in the mappings."""


def why_nothing(mapped: Mapped) -> str:
    """Why a code has no mapping."""
    return "it has no equivalent" if mapped.absent is None else f"it is {ABSENCES[mapped.absent]}"


def _group(code: Code, to: str, file: Path | None, strict: bool) -> Any:
    from auscult.codes.ccs import ccs9, ccsr, read_ccs, read_ccsr

    if to == "CCS" and file is not None and code.system.startswith("ICD-"):
        grouper = read_ccs(file, code.system)
    elif to == "CCS":
        grouper = ccs9()
    else:
        grouper = ccsr() if file is None else read_ccsr(file)
    if code.system != grouper.system:
        needs = " Pass HCUP's file for another system with --ccs." if to == "CCS" else ""
        raise OptionError(
            f"{to} groups codes of {grouper.system}; {code} belongs to another system.{needs}"
        )
    category = grouper.of(code)
    title = None if category is None else grouper.title(category)
    if strict and category is None:
        exit_with_1()
    found: dict[str, Any] = {
        "source": code.value,
        "source_system": code.system,
        "system": to,
        "code": category,
        "step": "group",
        "alternatives": [],
        "title": title,
        "grouping": grouper.about,
    }

    def say() -> None:
        paragraph(f"{category or 'no category'}  {title or ''}".rstrip())
        click.echo(f"by: {grouper.about}")

    return found, say
