"""`auscult challenge submit` and `auscult challenge ledger`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.challenge.arguments import (
    challenge_argument,
    incomplete,
    open_challenge,
    say_problems,
    track,
)
from auscult.cli.options import predicted_annotator
from auscult.cli.output import command, counted, exit_with, table


@click.command()
@challenge_argument
@click.argument("team")
@click.argument("file", type=click.Path(path_type=Path))
@predicted_annotator
@track
@incomplete
@command
def submit(
    challenge: Path,
    team: str,
    file: Path,
    predicted_annotator: str | None,
    track: str,
    incomplete: bool,
) -> Any:
    """Record FILE as a submission of TEAM: XML, CSV, JSON or a corpus.

    An invalid file is rejected with a list of its problems and exit code 2; this does not count as
    an attempt. The same holds for a file that lacks test documents, and for one that comes before
    the test release or after the closing date.

    \b
    Example:
      auscult challenge submit our-task "Team X" run1.xml
      auscult predict model test predicted
      auscult challenge submit our-task "Team X" predicted
      auscult challenge submit our-task "Team X" spans.csv --track evidence
    """
    from auscult.challenge import submit as take
    from auscult.challenge.settings import Track
    from auscult.challenge.submission import ProblemKind

    receipt = take(
        open_challenge(challenge),
        team,
        file,
        origin=predicted_annotator,
        track=Track(track),
        incomplete=incomplete,
    )
    entry = receipt.entry
    if not receipt.is_accepted:
        exit_with(2)

    def say() -> None:
        say_problems(receipt.problems)
        left = counted(receipt.left, "attempt")
        if receipt.is_accepted:
            click.echo(
                f"Accepted as attempt {entry.attempt} of {entry.team}: {entry.charts:,} documents "
                f"and {entry.codes:,} codes recognized; {left} left."
            )
            if (before := receipt.replaces) is not None:
                click.echo(
                    f"It replaces attempt {before.attempt} ({before.file}, {before.charts:,} "
                    "documents) in the ranking."
                )
        else:
            errors = sum(problem.is_error for problem in receipt.problems)
            click.echo(
                f"Rejected because of {counted(errors, 'error')}. It does not count as an attempt; "
                f"{left} left."
            )
            if any(one.kind is ProblemKind.INCOMPLETE for one in receipt.problems):
                click.echo("To submit it anyway, pass --incomplete.")
        if receipt.score is not None:
            for name, metric in receipt.score.chosen.items():
                click.echo(f"{name:16} {'–' if metric.value is None else f'{metric.value:.4f}'}")

    return receipt.to_dict(), say


@click.command()
@challenge_argument
@click.option("--team", help="Only this team.")
@track
@command
def ledger(challenge: Path, team: str | None, track: str) -> Any:
    """List all submissions, accepted or rejected, oldest first.

    \b
    Example:
      auscult challenge ledger our-task
    """
    from auscult.challenge.ledger import team_key
    from auscult.challenge.settings import Track

    opened = open_challenge(challenge).ledger_of(Track(track))

    def is_meant(name: str) -> bool:
        return team is None or team_key(name) == team_key(team)

    entries = [entry for entry in opened.entries() if is_meant(entry.team)]
    unlisted = {name: more for name, more in opened.unlisted().items() if is_meant(name)}

    def say() -> None:
        rows = [
            (
                e.number,
                e.time[:19],
                e.team,
                e.status.value,
                e.attempt or "",
                e.file,
                len(e.problems),
            )
            for e in entries
        ]
        names = ["number", "time (UTC)", "team", "status", "attempt", "file", "problems"]
        table(None, names, rows)
        for name, more in unlisted.items():
            click.echo(f"{name}: {counted(more, 'more refused submission')}, not listed")

    return {
        "challenge": str(challenge),
        "entries": [entry.to_dict() for entry in entries],
        "unlisted": unlisted,
    }, say
