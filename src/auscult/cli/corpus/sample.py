"""`auscult corpus sample`: a sample of each category, and what each step left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.corpus.arguments import corpus_argument, out_argument, overwrite_option
from auscult.cli.options import seed
from auscult.cli.output import command, table
from auscult.core import OptionError

if TYPE_CHECKING:
    from auscult.corpus import Corpus


def annotator_of(corpus: Corpus, name: str | None) -> str:
    """The annotator that was named, the only one there is, or the one that is gold by name."""
    from auscult.corpus.annotators import choose_annotator

    chosen = choose_annotator(corpus, name)
    if chosen is None:
        raise OptionError("The corpus has no annotations, and this option needs codes.")
    return chosen


@click.command()
@corpus_argument
@out_argument
@click.option(
    "--document",
    type=click.Choice(["chart", "note"]),
    default="chart",
    show_default=True,
    help="What is sampled; a note is then a chart of its own.",
)
@click.option("--share", type=float, default=1.0, show_default=True, help="Of each category.")
@click.option(
    "--strata",
    type=click.Choice(["category", "codes"]),
    default="category",
    show_default=True,
    help="What a category is: that of most notes of the document, or the combination of codes.",
)
@click.option("--minimum", default=1, show_default=True, help="Documents a category needs.")
@click.option("--annotator", help="Whose codes count, when there are several.")
@click.option("--coded", is_flag=True, help="Leave out documents without a code (a majority).")
@click.option("--code-minimum", default=1, show_default=True, help="Documents a code needs.")
@click.option(
    "--combination-minimum", default=1, show_default=True, help="Documents a combination needs."
)
@seed
@overwrite_option
@command
def sample(corpus: Path, out: Path, annotator: str | None, overwrite: bool, **chosen: Any) -> Any:
    """Take a sample of each category of documents, and say what each step left out.

    \b
    Example:
      auscult corpus sample year sampled --share 0.2 --minimum 100
      auscult corpus sample voted clean --annotator majority --coded --code-minimum 2
    """
    from auscult.corpus import Corpus
    from auscult.corpus.sampling import Plan
    from auscult.corpus.sampling import sample as take

    opened = Corpus.open(corpus)
    plan = Plan(**chosen)
    if annotator is not None or plan.is_by_codes:
        plan = replace(plan, annotator=annotator_of(opened, annotator))
    found = take(opened, plan)
    found.corpus.write(out, overwrite=overwrite)

    def say() -> None:
        rows = [(step.name, step.removed, step.left) for step in found.steps]
        table(None, ["step", "removed", "documents left"], rows)

    return {"corpus": str(out), "steps": [step.to_dict() for step in found.steps]}, say
