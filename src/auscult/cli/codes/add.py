"""`auscult codes add`: install a release of ICD-10-CM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.output import command, paragraph


@click.command("add")
@click.argument("file", type=click.Path(path_type=Path))
@command
def add(file: Path) -> Any:
    """Check and install a release of ICD-10-CM: an XML file of CDC's, or the zip as downloaded.

    FILE may hold the Tabular List, the Alphabetic Index, the Neoplasm Table, the Table of Drugs
    and the External Cause Index, told apart by their content. The newest release of each is used
    from then on. They are kept in the user's data folder, or in the one that AUSCULT_HOME names.

    \b
    Example:
      auscult codes add icd10cm-table-index-2026.zip
      auscult codes add icd10cm-index-2026.xml
    """
    from auscult.cli.codes.sources import as_json, counts_of
    from auscult.codes.home import data_home
    from auscult.codes.releases import add_release

    parts = add_release(file)

    def say() -> None:
        for part in parts:
            paragraph(f"{part.kind.heading}, {part.year}: {counts_of(part)}")
        click.echo(f"Installed in {data_home()}.")

    return {"home": str(data_home()), "added": [as_json(part) for part in parts]}, say
