"""Arguments shared by the commands on a vocabulary."""

from __future__ import annotations

from pathlib import Path

import click

vocabulary_argument = click.argument("vocabulary", type=click.Path(path_type=Path))
types_option = click.option(
    "--semantic-type",
    "types",
    multiple=True,
    help="Only concepts of this semantic type; repeatable.",
)
sources_option = click.option(
    "--source", "sources", multiple=True, help="Only terms of this source; repeatable."
)
