"""`auscult corpus sample`: a stratified sample, and what each step left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.corpus.arguments import corpus_argument, out_argument
from auscult.cli.options import annotator, code_minimum, document, exclude_empty, overwrite, seed
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
@document
@click.option(
    "--fraction",
    "share",
    type=float,
    default=1.0,
    show_default=True,
    help="Fraction of each stratum to sample.",
)
@click.option(
    "--strata",
    type=click.Choice(["category", "codes", "code", "category+code"]),
    default="category",
    show_default=True,
    help="Stratify by note category, by combination of codes, by each code, or by category and "
    "each code.",
)
@click.option("--minimum", default=1, show_default=True, help="Minimum documents per stratum.")
@annotator
@exclude_empty
@code_minimum
@click.option(
    "--combination-minimum", default=1, show_default=True, help="Minimum documents per combination."
)
@seed
@overwrite
@command
def sample(
    corpus: Path,
    out: Path,
    annotator: str | None,
    exclude_empty: bool,
    overwrite: bool,
    **chosen: Any,
) -> Any:
    """Draw a stratified sample of documents, and list what each step left out.

    \b
    Example:
      auscult corpus sample year sampled --fraction 0.2 --minimum 100
      auscult corpus sample year sampled --fraction 0.2 --strata category+code
      auscult corpus sample voted clean --annotator majority --exclude-empty --code-minimum 2
    """
    from auscult.corpus import Corpus
    from auscult.corpus.sampling import SamplingPlan
    from auscult.corpus.sampling import sample as take

    opened = Corpus.open(corpus)
    plan = SamplingPlan(coded=exclude_empty, **chosen)
    if annotator is not None or plan.is_by_codes:
        plan = replace(plan, annotator=annotator_of(opened, annotator))
    found = take(opened, plan)
    found.corpus.write(out, overwrite=overwrite)

    def say() -> None:
        rows = [(step.name, step.removed, step.left) for step in found.steps]
        table(None, ["step", "removed", "documents left"], rows)

    return {"corpus": str(out), "steps": [step.to_dict() for step in found.steps]}, say
