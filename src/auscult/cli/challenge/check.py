"""`auscult challenge check`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.challenge.arguments import incomplete, say_problems, track
from auscult.cli.options import predicted_annotator
from auscult.cli.output import command, counted, exit_with


@click.command()
@click.argument("release", type=click.Path(path_type=Path))
@click.argument("file", type=click.Path(path_type=Path))
@predicted_annotator
@track
@incomplete
@command
def check(
    release: Path, file: Path, predicted_annotator: str | None, track: str, incomplete: bool
) -> Any:
    """Check FILE against the folder RELEASE before submission: the same validation, no gold.

    All problems are listed. If any of them is an error, the exit code is 2.

    \b
    Example:
      auscult challenge check for-teams run1.csv
    """
    from auscult.challenge.checking import check_file
    from auscult.challenge.settings import Track
    from auscult.challenge.submission import ProblemKind

    checked = check_file(
        release,
        file,
        origin=predicted_annotator,
        track=Track(track),
        incomplete=incomplete,
    )
    if not checked.is_valid:
        exit_with(2)

    def say() -> None:
        say_problems(checked.problems)
        if checked.is_valid:
            click.echo(
                f"Valid: {counted(checked.charts, 'document')}, {counted(checked.codes, 'code')}."
            )
        else:
            errors = sum(problem.is_error for problem in checked.problems)
            click.echo(f"Invalid because of {counted(errors, 'error')}; it would be rejected.")
            if any(one.kind is ProblemKind.INCOMPLETE for one in checked.problems):
                click.echo("To submit it anyway, pass --incomplete.")

    return {
        "valid": checked.is_valid,
        "documents": checked.charts,
        "codes": checked.codes,
        "problems": [problem.to_dict() for problem in checked.problems],
    }, say
