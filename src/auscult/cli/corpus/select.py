"""`auscult corpus select`: a part of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.corpus.arguments import corpus_argument, out_argument
from auscult.cli.options import annotators, categories, overwrite, splits, systems
from auscult.cli.output import command, counted
from auscult.core import OptionError


@click.command("select")
@corpus_argument
@out_argument
@click.option("--annotated", is_flag=True, help="Only notes with annotations.")
@annotators()
@systems
@categories
@splits
@overwrite
@command
def select(
    corpus: Path,
    out: Path,
    annotated: bool,
    annotators: tuple[str, ...],
    systems: tuple[str, ...],
    categories: tuple[str, ...],
    splits: tuple[str, ...],
    overwrite: bool,
) -> Any:
    """Select part of a corpus by annotator, code system, note category or split.

    --annotated keeps only notes with annotations of their own, among those that the other options
    select; codes of a whole chart do not count.

    \b
    Example:
      auscult corpus select merged concepts --annotated --system UMLS
      auscult corpus select mdace discharge --category "Discharge summary" --split test
    """
    from auscult.corpus import Corpus
    from auscult.corpus.info import info
    from auscult.corpus.selecting import only_annotated

    if not (annotated or annotators or systems or categories or splits):
        raise OptionError(
            "Choose what to keep: --annotated, --annotator, --system, --category or --split."
        )
    opened = Corpus.open(corpus)
    part = opened.select(
        annotators=annotators or None,
        systems=systems or None,
        categories=categories or None,
        splits=splits or None,
    )
    if annotated:
        part = only_annotated(part)
    if (
        not part.lazy_notes.head(1).collect().height
        and not part.lazy_annotations.head(1).collect().height
    ):
        raise OptionError(
            f"Nothing in {corpus} matches, so there is nothing to write. Relax the options."
        )
    before = info(opened).notes
    found = info(part.write(out, overwrite=overwrite))

    def say() -> None:
        many = counted(found.annotations, "annotation")
        click.echo(f"{out}: {found.notes:,} of {counted(before, 'note')}, {many}")

    return {"corpus": str(out), "notes_before": before, **found.to_dict()}, say
