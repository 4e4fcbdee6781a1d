"""`auscult codes compile`: make the search of code systems ahead of its first use."""

from __future__ import annotations

import time
from typing import Any

import click

from auscult.cli.codes.arguments import known_system
from auscult.cli.output import command
from auscult.core.progress import track


@click.command("compile")
@click.argument("systems", nargs=-1, metavar="[SYSTEM]…")
@command
def compile_(systems: tuple[str, ...]) -> Any:
    """Compile the search of code systems, so that its first use does not have to.

    Without SYSTEM, that of ICD-10-CM. Takes some seconds once for each release, and next to nothing
    when it is done already. The tables are kept in the user's data folder, or in the one that
    AUSCULT_HOME names.

    \b
    Example:
      auscult codes compile
      auscult codes compile ICD-10-CM ICD-10-PCS
    """
    from auscult.codes.compiled import compiled_size
    from auscult.codes.home import data_home
    from auscult.codes.lookup.current import code_search

    wanted = list(dict.fromkeys(map(known_system, systems))) or ["ICD-10-CM"]
    rows = []
    for system in track(wanted, "compiling code systems"):
        start = time.perf_counter()
        code_search(system)
        rows.append({"system": system, "seconds": round(time.perf_counter() - start, 1)})
    size = compiled_size()

    def say() -> None:
        for row in rows:
            click.echo(f"{row['system']}: ready to search after {row['seconds']} seconds")
        click.echo(f"{size / 1e6:,.0f} MB of compiled tables in {data_home()}")

    return {"home": str(data_home()), "systems": rows, "size": size}, say
