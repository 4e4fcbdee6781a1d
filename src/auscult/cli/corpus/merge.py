"""`auscult corpus merge`: several corpora in one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.corpus.arguments import out_argument
from auscult.cli.options import overwrite
from auscult.cli.output import command, counted
from auscult.core import OptionError


@click.command("merge")
@click.argument("corpora", nargs=-1, required=True, type=click.Path(path_type=Path))
@out_argument
@overwrite
@command
def merge(corpora: tuple[Path, ...], out: Path, overwrite: bool) -> Any:
    """Merge the notes and annotations of several corpora into one.

    A note in several corpora is kept once, with its text if any of them has it; one note id for
    different notes is an error. Duplicate annotations are kept once.

    \b
    Example:
      auscult corpus merge notes evidence notes-with-evidence
    """
    from auscult.corpus import Corpus
    from auscult.corpus.info import info

    if len(corpora) < 2:
        raise OptionError("Merging takes two or more corpora, then OUT.")
    first, *others = [Corpus.open(path) for path in corpora]
    found = info(first.merge(*others).write(out, overwrite=overwrite))
    brought = sum(sum(corpus.manifest.annotators.values()) for corpus in (first, *others))
    shared = brought - found.annotations

    def say() -> None:
        many = counted(found.annotations, "annotation")
        click.echo(f"{out}: {counted(found.notes, 'note')}, {many}")
        if shared:
            click.echo(f"{counted(shared, 'duplicate annotation')} kept once.")

    return {"corpus": str(out), "duplicates": shared, **found.to_dict()}, say
