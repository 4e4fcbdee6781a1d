"""`auscult corpus merge`: several corpora in one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.corpus.arguments import out_argument, overwrite_option
from auscult.cli.output import command, counted
from auscult.core import OptionError


@click.command("merge")
@click.argument("corpora", nargs=-1, required=True, type=click.Path(path_type=Path))
@out_argument
@overwrite_option
@command
def merge(corpora: tuple[Path, ...], out: Path, overwrite: bool) -> Any:
    """Put the notes and annotations of several corpora into one.

    A note that is in several is taken once, with its text wherever one of them has it; a note id
    that stands for different notes is an error. Annotations that are the same are taken once.

    \b
    Example:
      auscult corpus merge notes evidence notes-with-evidence
    """
    from auscult.corpus import Corpus
    from auscult.corpus.info import info

    if len(corpora) < 2:
        raise OptionError("Merging takes two corpora or more, and then the place for the result.")
    first, *others = [Corpus.open(path) for path in corpora]
    found = info(first.merge(*others).write(out, overwrite=overwrite))
    brought = sum(sum(corpus.manifest.annotators.values()) for corpus in (first, *others))
    shared = brought - found.annotations

    def say() -> None:
        many = counted(found.annotations, "annotation")
        click.echo(f"{out}: {counted(found.notes, 'note')}, {many}")
        if shared:
            click.echo(f"{counted(shared, 'annotation')} of several corpora taken once.")

    return {"corpus": str(out), "duplicates": shared, **found.to_dict()}, say
