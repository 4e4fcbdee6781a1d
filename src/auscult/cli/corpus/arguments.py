"""Arguments shared by the commands on a corpus."""

from __future__ import annotations

from pathlib import Path

import click

corpus_argument = click.argument("corpus", type=click.Path(path_type=Path))
out_argument = click.argument("out", type=click.Path(path_type=Path))


def ids_in(file: Path) -> list[str]:
    """The ids in a file, one per line."""
    from auscult.core.files import read_text

    return [line.strip() for line in read_text(file).splitlines() if line.strip()]
