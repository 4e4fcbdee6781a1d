"""`auscult challenge create`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.challenge.arguments import with_costs
from auscult.cli.output import command
from auscult.core import OptionError


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--name", help="What the challenge is called  [default: as OUT]")
@click.option("--annotator", help="Whose codes are right, when the corpus has several.")
@click.option("--humans", help="People to place among the systems, as NAME[,NAME…].")
@click.option(
    "--document",
    type=click.Choice(["chart", "note"]),
    default="chart",
    show_default=True,
    help="What is coded as one document.",
)
@click.option("--train", default="train", show_default=True, help="The split to learn from.")
@click.option("--test", default="test", show_default=True, help="The split to be coded.")
@click.option(
    "--codes",
    type=click.Path(path_type=Path),
    help="The label set: one code a line, or the columns code and system.",
)
@click.option(
    "--code-minimum",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Training documents a code needs; rarer codes are left out of the task.",
)
@click.option(
    "--attempts",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Accepted submissions a team has.",
)
@click.option(
    "--feedback",
    type=click.Choice(["counts", "scores"]),
    default="counts",
    show_default=True,
    help="What a team is told: how much was recognised, or its scores too.",
)
@click.option(
    "--counting",
    type=click.Choice(["last", "best"]),
    default="last",
    show_default=True,
    help="Which of a team's submissions is ranked.",
)
@click.option("--teams", type=click.Path(path_type=Path), help="Who may take part, one a line.")
@with_costs
@command
def create(
    corpus: Path,
    out: Path,
    name: str | None,
    annotator: str | None,
    humans: str | None,
    codes: Path | None,
    teams: Path | None,
    **chosen: Any,
) -> Any:
    """Make a challenge of CORPUS, which is split into train and test, in the new folder OUT.

    OUT holds the right codes of the test documents: keep it to yourself.

    \b
    Example:
      auscult corpus sample voted reports --annotator majority --coded
      auscult corpus split reports reports-split --share train=0.5 --share test=0.5 \\
          --combinations --annotator majority
      auscult challenge create reports-split our-task --annotator majority --humans ann,bob
      auscult challenge create charts-split our-task --code-minimum 5
    """
    from auscult.challenge.challenge import create as make
    from auscult.challenge.label_set import read_codes, systems_of
    from auscult.corpus import Corpus
    from auscult.evaluate.sides import only_annotator

    opened = Corpus.open(corpus)
    if name is not None:
        chosen["name"] = name
    if humans is not None:
        chosen["humans"] = tuple(part.strip() for part in humans.split(",") if part.strip())
    if teams is not None:
        chosen["teams"] = _listed(teams)
    labels = None
    if codes is not None and chosen["code_minimum"] > 1:
        raise OptionError(
            "Pass either --codes or --code-minimum, not both: each defines the label set."
        )
    if codes is not None:
        _, annotator = only_annotator(opened, annotator, "The corpus", "--annotator")
        labels = read_codes(codes, systems_of(opened, annotator or ""))
    made = make(opened, out, gold=annotator, codes=labels, **chosen)
    settings = made.settings
    number = {
        part: len(made.corpus.select(splits=[part]).chart_ids())
        for part in (settings.train, settings.test)
    }
    found = {
        "challenge": str(out),
        **settings.model_dump(mode="json", exclude={"codes"}),
        "codes": len(settings.codes),
        "documents": number,
    }

    def say() -> None:
        click.echo(
            f"{out}: {number[settings.train]:,} documents to learn from, "
            f"{number[settings.test]:,} to be coded, {len(settings.codes):,} codes"
        )
        click.echo(f"Write what teams get with: auscult challenge release {out} FOLDER")

    return found, say


def _listed(file: Path) -> tuple[str, ...]:
    """The teams of a file; a list that names nobody is no way of letting everybody in."""
    from auscult.core.files import read_text

    named = tuple(filter(None, (line.strip() for line in read_text(file).splitlines())))
    if not named:
        raise OptionError(
            f"{file} names no team; one a line was expected. Leave out --teams to let everybody in."
        )
    return named
