"""`auscult codes show`: a code, its place, and what the code book says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.codes.arguments import known_system, open_table, table_option
from auscult.cli.codes.show_tabular import tabular_facts, tell_tabular
from auscult.cli.options import strict
from auscult.cli.output import command, exit_with_1, paragraph
from auscult.core import Code

_PARTNERS = {"ICD-10-CM": "ICD-9-CM", "ICD-9-CM": "ICD-10-CM"}
"""The systems between which mappings come with a package."""
_LISTED = 20
"""The most index entries that the terminal lists; JSON has all."""


@click.command("show")
@click.argument("system")
@click.argument("value")
@table_option
@strict
@command
def show(system: str, value: str, file: Path | None, strict: bool) -> Any:
    """Show a code: description, place in the hierarchy, whether it is billable.

    For ICD-10-CM, also what the Tabular List has on it: inclusion terms, every instruction that
    applies, from the chapter down to the code, and 7th characters; and the entries of the
    Alphabetic Index that lead to it, if one is installed. With --strict, the exit code is 1 if the
    code is malformed or unknown.

    \b
    Example:
      auscult codes show ICD-10-CM I50.21
      auscult codes show ICD-10-CM I50 --table icd10cm_order_2018.txt
    """
    from auscult.codes import chapter, is_well_formed, normalize
    from auscult.codes.cpt import is_evaluation_and_management, section

    system = known_system(system)
    code = Code(system, normalize(system, value))
    sound = is_well_formed(code)
    codes_in = open_table(system, file)
    found: dict[str, Any] = {
        "system": system,
        "code": code.value,
        "given": value,
        "well_formed": sound,
        "known": None if codes_in is None else code.value in codes_in,
        "release": None if codes_in is None else codes_in.release,
        "description": None if codes_in is None else codes_in.describe(code.value),
        "billable": None if codes_in is None else codes_in.is_billable(code.value),
        "chapter": (at := chapter(code)) and str(at) if sound else None,
        "parent": codes_in.parent(code.value) if codes_in is not None and sound else None,
        "children": [] if codes_in is None else list(codes_in.children(code.value)),
    }
    if system == "CPT":
        found["section"] = section(code.value)
        found["evaluation_and_management"] = is_evaluation_and_management(code.value)
    if strict and not (sound and found["known"] is not False):
        exit_with_1()
    book: dict[str, Any] = {}
    if found["known"] and file is None:
        if system == "ICD-10-CM":
            from auscult.codes.tabular.current import tabular_list

            book |= tabular_facts(tabular_list(), code.value)
            book |= _index_entries(code.value)
        if system in _PARTNERS:
            book["gem_partners"] = _gem_partners(code, _PARTNERS[system])

    if found["known"] is False and file is None:
        book |= _problem(code)

    def say() -> None:
        for key, shown in found.items():
            if key == "children":
                for child in found["children"]:
                    described = "" if codes_in is None else codes_in.describe(child)
                    paragraph(f"  {child:10} {described or ''}", hanging=13)
            elif key == "given":
                if value != code.value:
                    click.echo(f"{'written':12} {value}")
            elif shown not in (None, ""):
                answer = {True: "yes", False: "no"}.get(shown, shown)
                paragraph(f"{key.replace('_', ' '):12} {answer}", hanging=13)
        if "problem" in book:
            paragraph(f"{book['problem']}. {book['advice']}", hanging=0)
        if "instructions" in book:
            tell_tabular(book)
        if book.get("index"):
            click.echo("\nIndex entries that lead to it")
            for path in book["index"][:_LISTED]:
                paragraph(f"  {path}", hanging=4)
            if len(book["index"]) > _LISTED:
                click.echo(f"  … and {len(book['index']) - _LISTED:,} more")
        if "gem_partners" in book:
            _tell_partners(book["gem_partners"])

    return {**found, **book}, say


def _problem(code: Code) -> dict[str, str]:
    """Why a code is not in its table, and what to do; nothing for a system without such rules."""
    from auscult.codes.coding_edits import check_codes
    from auscult.codes.coding_edits.registry import SYSTEMS_CHECKED

    if code.system not in SYSTEMS_CHECKED:
        return {}
    finding = check_codes([code.value], system=code.system)[0]
    return {"problem": finding.problem, "advice": finding.advice}


def _index_entries(value: str) -> dict[str, list[str]]:
    """The entries of the Alphabetic Index and its tables that lead to a code.

    Nothing at all where no index is installed: that no entry leads to the code is another matter.
    """
    from auscult.codes.alphabetic.current import alphabetic_volume

    volume = alphabetic_volume()
    if not volume.parts:
        return {}
    return {"index": list(dict.fromkeys(map(str, volume.entries_of(value))))}


def _gem_partners(code: Code, other: str) -> dict[str, Any]:
    """What the General Equivalence Mappings map a code to; none for a heading."""
    from auscult.codes.gems import packaged_gems

    gems = packaged_gems(code.system, other)
    return {
        "system": other,
        "codes": list(gems.targets(code.value)),
        "combinations": [list(together) for together in gems.scenarios(code.value)],
    }


def _tell_partners(partners: dict[str, Any]) -> None:
    from auscult.codes import describe

    system = partners["system"]
    if partners["codes"] or partners["combinations"]:
        click.echo(f"\n{system}, by the General Equivalence Mappings")
    for value in partners["codes"]:
        paragraph(f"  {value:10} {describe(Code(system, value)) or ''}", hanging=13)
    for together in partners["combinations"]:
        click.echo(f"  together: {' + '.join(together)}")
