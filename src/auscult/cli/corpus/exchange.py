"""`auscult corpus import` and `export`: a command for each format."""

from __future__ import annotations

import click

from auscult.cli.formats import FormatGroup, export_command, import_command


@click.group("import", cls=FormatGroup, make=import_command)
def import_() -> None:
    """Import SOURCE, in some FORMAT, as the corpus OUT.

    \b
    Example:
      auscult corpus import mdace MDACE/data/Inpatient/ICD-10 mdace --noteevents NOTEEVENTS.csv.gz
      auscult corpus import mdace --help
    """


@click.group("export", cls=FormatGroup, make=export_command)
def export() -> None:
    """Export a corpus to some FORMAT, and list what the format cannot represent.

    \b
    Example:
      auscult corpus export webanno mdace mdace-for-inception
    """
