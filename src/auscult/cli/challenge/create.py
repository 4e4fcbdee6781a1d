"""`auscult challenge create`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.challenge.arguments import with_costs
from auscult.cli.options import annotator, code_minimum, document, name, train_split
from auscult.cli.output import command
from auscult.core import OptionError


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@name("as OUT")
@annotator
@click.option(
    "--humans", metavar="NAME,NAME…", help="Human annotators to compare with the systems."
)
@document
@train_split
@click.option("--test-split", "test", default="test", show_default=True, help="Test split.")
@click.option(
    "--label-set",
    "codes",
    type=click.Path(path_type=Path),
    help="Label set: one code per line, or columns code and system.  [default: training codes]",
)
@code_minimum
@click.option(
    "--attempts",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Accepted submissions per team.",
)
@click.option(
    "--feedback",
    type=click.Choice(["counts", "scores"]),
    default="counts",
    show_default=True,
    help="Feedback to a team: counts of recognized codes, or scores too.",
)
@click.option(
    "--counting",
    type=click.Choice(["last", "best"]),
    default="last",
    show_default=True,
    help="Submission of a team that is ranked.",
)
@click.option(
    "--teams", type=click.Path(path_type=Path), help="File of admitted teams, one per line."
)
@click.option(
    "--evidence-track",
    "evidence",
    is_flag=True,
    help="Also rank teams by the text that supports each code.",
)
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
    evidence: bool,
    **chosen: Any,
) -> Any:
    """Create a challenge from CORPUS, which has a training and a test split, in the folder OUT.

    OUT contains the gold codes of the test documents: do not share it.

    \b
    Example:
      auscult corpus sample voted reports --annotator majority --exclude-empty
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
    if evidence:
        chosen["tracks"] = ("codes", "evidence")
    if teams is not None:
        chosen["teams"] = _listed(teams)
    labels = None
    if codes is not None and chosen["code_minimum"] > 1:
        raise OptionError(
            "Pass either --label-set or --code-minimum, not both: each defines the label set."
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
            f"{out}: {number[settings.train]:,} training documents, "
            f"{number[settings.test]:,} test documents, {len(settings.codes):,} codes"
        )
        click.echo(f"Set its dates, if it has any: auscult challenge calendar {out} --help")
        click.echo(f"Write the release for teams with: auscult challenge release {out} FOLDER")

    return found, say


def _listed(file: Path) -> tuple[str, ...]:
    """The teams in a file; an empty list does not mean that everybody is admitted."""
    from auscult.core.files import read_text

    named = tuple(filter(None, (line.strip() for line in read_text(file).splitlines())))
    if not named:
        raise OptionError(
            f"{file} is empty; expected one team per line. Leave out --teams to admit everybody."
        )
    return named
