"""`auscult corpus info`: what is in a corpus, in numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.corpus.arguments import corpus_argument
from auscult.cli.output import command, table


@click.command("info")
@corpus_argument
@click.option("--check-digests", is_flag=True, help="Verify the digests of all files.")
@command
def info(corpus: Path, check_digests: bool) -> Any:
    """Summarize a corpus in numbers, and list the steps that made it.

    \b
    Example:
      auscult corpus info mdace --json
    """
    from auscult.corpus import Corpus
    from auscult.corpus.history import table as made_by
    from auscult.corpus.info import info

    opened = Corpus.open(corpus)
    if check_digests:
        opened.verify()
    found = info(opened)
    checked = {"verified": True} if check_digests else {}

    def say() -> None:
        single = [
            (key.replace("_", " "), value)
            for key, value in found.to_dict().items()
            if value is not None and not isinstance(value, dict)
        ]
        for key, value in single:
            shown = f"{value:,}" if isinstance(value, int) else value
            click.echo(f"{key:20} {shown}")
        for key, values in found.to_dict().items():
            if isinstance(values, dict) and values:
                click.echo(key.replace("_", " "))
                for name, count in values.items():
                    click.echo(f"  {name:28} {count:>10,}")
        if steps := made_by(opened):
            click.echo()
            table("history", ["by", "step", "removed", "documents left"], steps)
        if check_digests:
            click.echo("All digests match.")

    history = [made.model_dump(mode="json") for made in opened.manifest.history]
    return {**found.to_dict(), "history": history, **checked}, say
