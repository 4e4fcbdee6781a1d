"""What the commands on a corpus share."""

from __future__ import annotations

from pathlib import Path

import click

corpus_argument = click.argument("corpus", type=click.Path(path_type=Path))
out_argument = click.argument("out", type=click.Path(path_type=Path))
overwrite_option = click.option(
    "--overwrite", is_flag=True, help="Replace the corpus that is at OUT."
)


def ids_in(file: Path) -> list[str]:
    """The ids that a file has, one a line."""
    from auscult.core.files import read_text

    return [line.strip() for line in read_text(file).splitlines() if line.strip()]
