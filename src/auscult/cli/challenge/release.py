"""`auscult challenge release`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.challenge.arguments import challenge_argument, open_challenge
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
@click.option(
    "--stage",
    type=click.Choice(["training", "test", "all"]),
    help="What to release.  [default: everything that is due by the calendar]",
)
@click.option("--ahead", is_flag=True, help="Prepare a stage early, for the organizers only.")
@command
def release(challenge: Path, out: Path, humans: bool, stage: str | None, ahead: bool) -> Any:
    """Write the release for teams: training data, test notes without codes, schema, rules.

    By default, OUT contains what is due by the calendar: first the training documents, later all.
    Examples and checksums are included. Nothing in OUT depends on the codes of the test documents.
    OUT contains the text of the notes.

    \b
    Example:
      auscult challenge release our-task for-teams
      auscult challenge release our-task first --stage training
    """
    from auscult.challenge.release import ReleaseStage
    from auscult.challenge.release import release as write

    chosen = None if stage is None else ReleaseStage(stage)
    losses = write(open_challenge(challenge), out, humans=humans, stage=chosen, ahead=ahead)
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
