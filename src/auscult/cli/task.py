"""`auscult task`: corpora for a question that the records answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.options import seed
from auscult.cli.output import command, table


@click.group()
def task() -> None:
    """Make a corpus whose codes are outcomes that the records tell.

    \b
    Example:
      auscult task readmission mimic-iii readmission
    """


@task.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--days", default=30, show_default=True, help="Within which a readmission counts.")
@click.option("--no-newborns", "newborns", flag_value=False, default=True, help="Leave them out.")
@click.option(
    "--no-deaths", "deaths", flag_value=False, default=True, help="Leave out deaths in hospital."
)
@click.option(
    "--no-planned",
    "planned",
    flag_value=False,
    default=True,
    help="An elective admission is no readmission.",
)
@click.option(
    "--summaries",
    type=click.Choice(["all", "last"]),
    default="all",
    show_default=True,
    help="Discharge summaries of an encounter to keep.",
)
@click.option(
    "--by",
    type=click.Choice(["subject", "chart", "note"]),
    default="subject",
    show_default=True,
    help="What stays together in one split.",
)
@seed
@click.option("--overwrite", is_flag=True, help="Replace the corpus that is at OUT.")
@command
def readmission(source: Path, out: Path, overwrite: bool, **chosen: Any) -> Any:
    """Mark the discharge notes that were followed by a readmission.

    SOURCE is a corpus with admissions as records, or a folder of MIMIC-III tables. The code is
    `outcome readmitted`; the splits are train, dev and test, 70/15/15.

    \b
    Example:
      auscult task readmission hospital/mimic3 readmission
      auscult task readmission mimic-iii cohort --no-newborns --no-deaths --summaries last
    """
    from auscult.corpus import Corpus, formats
    from auscult.corpus.corpus import locate_manifest
    from auscult.corpus.readmission import READMITTED, Task
    from auscult.corpus.readmission import readmission as label

    is_corpus = locate_manifest(source).exists()
    opened = Corpus.open(source) if is_corpus else formats.read("mimic3", source)
    found = label(opened, Task(**chosen))
    found.corpus.write(out, overwrite=overwrite)

    def say() -> None:
        rows = [(step.name, step.removed, step.left) for step in found.steps]
        table(None, ["step", "removed", "encounters left"], rows)
        click.echo(
            f"{out}: {found.notes:,} notes, {found.positive:,} with {READMITTED} "
            f"({found.positive / found.notes:.1%})"
        )

    return (
        {
            "corpus": str(out),
            "steps": [step.to_dict() for step in found.steps],
            "notes": found.notes,
            "positive": found.positive,
        },
        say,
    )
