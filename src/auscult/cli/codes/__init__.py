"""`auscult codes`: look up, search, map and check codes, and install releases of the code book."""

from __future__ import annotations

import click

from auscult.cli.lazy import LazyGroup


@click.group(
    cls=LazyGroup,
    commands_at={
        "show": ("auscult.cli.codes.show:show", "Show a code and what applies to it."),
        "search": ("auscult.cli.codes.search:search", "Search codes by words or beginning."),
        "index": ("auscult.cli.codes.index:index", "Browse the Alphabetic Index of ICD-10-CM."),
        "map": ("auscult.cli.codes.map:map_", "Map a code to another system."),
        "check": ("auscult.cli.codes.check:check", "Check the codes of an encounter."),
        "add": ("auscult.cli.codes.add:add", "Install a release of ICD-10-CM."),
        "sources": ("auscult.cli.codes.sources:sources", "List the code books in use."),
        "compile": (
            "auscult.cli.codes.compile:compile_",
            "Compile the search ahead of its first use.",
        ),
    },
)
def codes() -> None:
    """Look up, search, map and check codes; install releases of ICD-10-CM.

    \b
    Example:
      auscult codes search ICD-10-CM CHF
      auscult codes show ICD-10-CM I50.21
      auscult codes map ICD-10-CM I10 --to ICD-9-CM
    """
