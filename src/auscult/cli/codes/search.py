"""`auscult codes search`: codes by the words of their descriptions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.codes.arguments import known_system, open_table, table_option
from auscult.cli.options import limit
from auscult.cli.output import command, table
from auscult.core import OptionError


@click.command("search")
@click.argument("system")
@click.argument("words", nargs=-1, required=True)
@table_option
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

    system = known_system(system)
    codes_in = open_table(system, file)
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
