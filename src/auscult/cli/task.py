"""`auscult task`: corpora for outcome prediction, labeled from records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.options import overwrite, seed, split_by
from auscult.cli.output import command, table


@click.group()
def task() -> None:
    """Build a corpus for outcome prediction, with labels from the records.

    \b
    Example:
      auscult task readmission mimic-iii readmission
    """


@task.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--days",
    default=30,
    show_default=True,
    help="Days within which an admission counts as a readmission.",
)
@click.option("--exclude-newborns", is_flag=True, help="Leave out newborns.")
@click.option("--exclude-deaths", is_flag=True, help="Leave out deaths in hospital.")
@click.option(
    "--exclude-planned", is_flag=True, help="Do not count elective admissions as readmissions."
)
@click.option(
    "--summaries",
    type=click.Choice(["all", "last"]),
    default="all",
    show_default=True,
    help="Discharge summaries to keep per encounter.",
)
@split_by("subject")
@seed
@overwrite
@command
def readmission(
    source: Path,
    out: Path,
    exclude_newborns: bool,
    exclude_deaths: bool,
    exclude_planned: bool,
    overwrite: bool,
    **chosen: Any,
) -> Any:
    """Label discharge notes that were followed by a readmission.

    SOURCE is a corpus with admissions as records, or a folder of MIMIC-III tables. The code is
    `outcome readmitted`; the splits are train, dev and test, 70/15/15.

    \b
    Example:
      auscult task readmission hospital/mimic3 readmission
      auscult task readmission mimic-iii cohort --exclude-newborns --exclude-deaths --summaries last
    """
    from auscult.corpus import Corpus, formats
    from auscult.corpus.corpus import locate_manifest
    from auscult.corpus.readmission import READMITTED, ReadmissionTask
    from auscult.corpus.readmission import readmission as label

    is_corpus = locate_manifest(source).exists()
    opened = Corpus.open(source) if is_corpus else formats.read("mimic3", source)
    task = ReadmissionTask(
        newborns=not exclude_newborns,
        deaths=not exclude_deaths,
        planned=not exclude_planned,
        **chosen,
    )
    found = label(opened, task)
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
