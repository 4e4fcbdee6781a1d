"""`auscult challenge`: run a shared task, and score submissions to one."""

from __future__ import annotations

import click

from auscult.cli.lazy import LazyGroup

_AT = "auscult.cli.challenge"


@click.group(
    cls=LazyGroup,
    commands_at={
        "create": (f"{_AT}.create:create", "Make a challenge of a corpus that is split."),
        "release": (f"{_AT}.release:release", "Write what teams get, without the test codes."),
        "submit": (f"{_AT}.submit:submit", "Take a team's submission."),
        "ledger": (f"{_AT}.submit:ledger", "List all that was ever submitted."),
        "leaderboard": (f"{_AT}.ranking:leaderboard", "Rank the teams, people among them."),
        "analyse": (f"{_AT}.ranking:analyse", "Say which systems can be told apart."),
        "score": (f"{_AT}.score:score", "Score a submission against gold, on its own."),
    },
)
def challenge() -> None:
    """Run a shared task: release, submissions, attempts, ranking.

    \b
    Example:
      auscult challenge create reports-split our-task --annotator majority
      auscult challenge release our-task for-teams
      auscult challenge submit our-task "Team X" run1.xml
      auscult challenge leaderboard our-task --report leaderboard.html
    """
