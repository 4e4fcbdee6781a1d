"""`auscult corpus import` and `export`: a command for each format."""

from __future__ import annotations

import click

from auscult.cli.formats import FormatGroup, export_command, import_command


@click.group("import", cls=FormatGroup, make=import_command)
def import_() -> None:
    """Read a FORMAT from SOURCE and write it as a corpus to OUT.

    \b
    Example:
      auscult corpus import mdace MDACE/data/Inpatient/ICD-10 mdace --noteevents NOTEEVENTS.csv.gz
      auscult corpus import mdace --help
    """


@click.group("export", cls=FormatGroup, make=export_command)
def export() -> None:
    """Write a corpus as a FORMAT to OUT, and say what the format cannot hold.

    \b
    Example:
      auscult corpus export webanno mdace mdace-for-inception
    """
