"""`auscult challenge release`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.challenge.arguments import challenge_argument
from auscult.cli.losses import say_losses
from auscult.cli.output import command


@click.command()
@challenge_argument
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--include-humans",
    "humans",
    is_flag=True,
    help="Include the codes of each human annotator for training.",
)
@command
def release(challenge: Path, out: Path, humans: bool) -> Any:
    """Write the release for teams: training data, test notes without codes, schema, rules.

    Examples and checksums are included. Nothing in OUT depends on the codes of the test documents.
    It contains the text of the notes.

    \b
    Example:
      auscult challenge release our-task for-teams
    """
    from auscult.challenge import Challenge
    from auscult.challenge.release import release as write

    losses = write(Challenge.open(challenge), out, humans=humans)
    files = sorted(file for file in out.rglob("*") if file.is_file())
    found = {
        "release": str(out),
        "files": {file.relative_to(out).as_posix(): file.stat().st_size for file in files},
        "losses": [loss.to_dict() for loss in losses],
    }

    def say() -> None:
        for file in files:
            click.echo(f"{file.stat().st_size:>12,}  {file}")
        say_losses(losses)

    return found, say
