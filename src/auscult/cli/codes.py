"""`auscult codes`: look up, search and map codes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.lazy import StoryGroup
from auscult.cli.options import gems, limit, strict
from auscult.cli.output import command, exit_with_1, table
from auscult.core import Code, OptionError
from auscult.core.names import require_known

if TYPE_CHECKING:
    from auscult.codes.gems import Gems
    from auscult.codes.mapping import Mapped

_table = click.option(
    "--table",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Official table: ICD-10 order file, or CMS's ICD-9 long descriptions.",
)

TARGET = "Target code system."
"""Help of `--to`, here and in `corpus map`."""
_GROUPERS = ("CCS", "CCSR")


@click.group(
    cls=StoryGroup,
    story={
        "show": "Show a code.",
        "search": "Search codes by words or prefix.",
        "map": "Map a code to another system.",
    },
)
def codes() -> None:
    """Look up, search and map codes.

    \b
    Example:
      auscult codes show ICD-10-CM I50.21
      auscult codes map ICD-10-CM I10 --to ICD-9-CM
    """


@codes.command("show")
@click.argument("system")
@click.argument("value")
@_table
@strict
@command
def show(system: str, value: str, file: Path | None, strict: bool) -> Any:
    """Show a code: description, place in the hierarchy, whether it is billable.

    With --strict, the exit code is 1 if the code is malformed or unknown.

    \b
    Example:
      auscult codes show ICD-10-CM I50.21
      auscult codes show ICD-10-CM I50 --table icd10cm_order_2018.txt
    """
    from auscult.codes import CodeTable, chapter, is_well_formed, normalize
    from auscult.codes.cpt import is_evaluation_and_management, section

    system = _known_system(system)
    code = Code(system, normalize(system, value))
    sound = is_well_formed(code)
    codes_in: CodeTable | None = _open_table(system, file)
    found: dict[str, Any] = {
        "system": system,
        "code": code.value,
        "given": value,
        "well_formed": sound,
        "known": None if codes_in is None else code.value in codes_in,
        "release": codes_in and codes_in.release,
        "description": codes_in and codes_in.describe(code.value),
        "billable": codes_in and codes_in.is_billable(code.value),
        "chapter": (at := chapter(code)) and str(at) if sound else None,
        "parent": codes_in.parent(code.value) if codes_in and sound else None,
        "children": list(codes_in.children(code.value)) if codes_in else [],
    }
    if system == "CPT":
        found["section"] = section(code.value)
        found["evaluation_and_management"] = is_evaluation_and_management(code.value)
    if strict and not (sound and found["known"] is not False):
        exit_with_1()

    def say() -> None:
        for key, shown in found.items():
            if key == "children":
                for child in found["children"]:
                    described = codes_in.describe(child) if codes_in else ""
                    click.echo(f"  {child:10} {described or ''}")
            elif key == "given":
                if value != code.value:
                    click.echo(f"{'written':12} {value}")
            elif shown not in (None, ""):
                answer = {True: "yes", False: "no"}.get(shown, shown)
                click.echo(f"{key.replace('_', ' '):12} {answer}")

    return found, say


@codes.command("search")
@click.argument("system")
@click.argument("words", nargs=-1, required=True)
@_table
@limit(20)
@click.option("--billable", is_flag=True, help="Only billable codes.")
@command
def search(
    system: str, words: tuple[str, ...], file: Path | None, limit: int, billable: bool
) -> Any:
    """Search codes whose description contains all WORDS, or that start with the one given.

    Codes with the prefix come first; then descriptions that contain the words as whole words,
    shortest first; then those that contain them as parts of words.

    \b
    Example:
      auscult codes search ICD-10-CM acute systolic failure
      auscult codes search ICD-10-CM I50
    """
    from auscult.codes.search import search_table

    system = _known_system(system)
    codes_in = _open_table(system, file)
    if codes_in is None:
        raise OptionError(f"There is no table of {system} to search. Pass one with --table.")
    rows = search_table(codes_in, words, billable=billable)
    found = [
        {"code": e.value, "description": e.description, "billable": e.billable}
        for e in rows[:limit]
    ]

    def say() -> None:
        if not rows:
            click.echo("Nothing found.")
            return
        shown = [
            (e.value, "" if e.billable else "heading", e.description or "") for e in rows[:limit]
        ]
        table(None, ["code", "", "description"], shown)
        if len(rows) > limit:
            click.echo(f"… and {len(rows) - limit:,} more (--limit)")

    return {"system": system, "total": len(rows), "codes": found}, say


@codes.command("map")
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

    system, to = _known_system(system), _known_system(to, _GROUPERS)
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
            click.echo(f"{mapped.code}  {describe(mapped.code) or ''}")
            by = f", by {mapped.by}" if mapped.by else ""
            via = f", via {mapped.via}" if mapped.via else ""
            absent = f" ({ABSENCES[mapped.absent]})" if mapped.absent else ""
            click.echo(f"step: {mapped.step}{by}{via}{absent}")
            if mapped.close:
                fit = "fits" if len(mapped.close) == 1 else "fit"
                others = ", ".join(mapped.close)
                click.echo(f"A close call: {others} {fit} about as well.")
        for other in mapped.alternatives:
            click.echo(f"or    {other:10} {describe(Code(to, other)) or ''}")
        for together in mapped.scenarios:
            click.echo(f"or together: {' + '.join(together)}")

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
        click.echo(f"{category or 'no category'}  {title or ''}".rstrip())
        click.echo(f"by: {grouper.about}")

    return found, say


def _known_system(name: str, more: tuple[str, ...] = ()) -> str:
    """The system's name as it is written, in whatever case it was given."""
    from auscult.codes import SYSTEMS

    known = [*SYSTEMS, *more]
    written = {system.lower(): system for system in known}
    return written.get(name.lower()) or require_known(name, known, "code system")


def open_gems(source: str, target: str, folder: Path | None) -> Gems:
    """The mappings for a direction: from a folder of files, or those that come with a package."""
    from auscult.codes.gems import find_gems, packaged_gems

    return packaged_gems(source, target) if folder is None else find_gems(folder, source, target)


def _open_table(system: str, file: Path | None) -> Any:
    from auscult.codes import icd9, icd10, table_of

    if file is None:
        return table_of(system)
    if not file.is_file():
        raise OptionError(f"{file} does not exist or is not a file.")
    if system not in (*icd9.CHAPTERS, *icd10.CHAPTERS):
        raise OptionError(f"--table is for ICD systems only, not for {system}.")
    if system.startswith("ICD-9"):
        return icd9.read_descriptions(file, system)
    return icd10.read_order_file(file, system)
