"""What the commands on a vocabulary share."""

from __future__ import annotations

from pathlib import Path

import click

vocabulary_argument = click.argument("vocabulary", type=click.Path(path_type=Path))
types_option = click.option(
    "--type", "types", multiple=True, help="Only concepts of this semantic type."
)
sources_option = click.option(
    "--source", "sources", multiple=True, help="Only terms of this source."
)
