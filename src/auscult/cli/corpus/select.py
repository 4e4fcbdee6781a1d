"""`auscult corpus select`: a part of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.corpus.arguments import corpus_argument, out_argument, overwrite_option
from auscult.cli.output import command, counted
from auscult.core import OptionError
from auscult.core.names import require_known


@click.command("select")
@corpus_argument
@out_argument
@click.option("--annotated", is_flag=True, help="Only notes that have an annotation of their own.")
@click.option("--annotator", "annotators", multiple=True, help="Only annotations by these.")
@click.option("--system", "systems", multiple=True, help="Only codes of these systems.")
@click.option("--category", "categories", multiple=True, help="Only notes of these categories.")
@click.option("--split", "splits", multiple=True, help="Only notes of these splits.")
@overwrite_option
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
    """Write the part of a corpus that fits to OUT.

    A note that nobody looked at does not say that nothing is in it: --annotated keeps the notes
    that have an annotation of their own, of those that the other options choose. Codes of a whole
    chart do not count.

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
            "Say what to keep: --annotated, --annotator, --system, --category or --split."
        )
    opened = Corpus.open(corpus)
    known: dict[str, tuple[Any, tuple[str, ...], str]] = {
        "annotator": (opened.annotations, annotators, "annotator"),
        "system": (opened.annotations, systems, "code system"),
        "category": (opened.notes, categories, "note category"),
        "split": (opened.notes, splits, "split"),
    }
    for column, (held, chosen, what) in known.items():
        if chosen:
            there = held.select(column).unique().drop_nulls().collect()[column].to_list()
            for name in chosen:
                require_known(name, there, what)
    part = opened.select(
        annotators=annotators or None,
        systems=systems or None,
        categories=categories or None,
        splits=splits or None,
    )
    if annotated:
        part = only_annotated(part)
    if not part.notes.head(1).collect().height and not part.annotations.head(1).collect().height:
        raise OptionError(
            f"Nothing in {corpus} fits, so there is nothing to write. Ask for less at a time."
        )
    before = info(opened).notes
    found = info(part.write(out, overwrite=overwrite))

    def say() -> None:
        many = counted(found.annotations, "annotation")
        click.echo(f"{out}: {found.notes:,} of {counted(before, 'note')}, {many}")

    return {"corpus": str(out), "notes_before": before, **found.to_dict()}, say
