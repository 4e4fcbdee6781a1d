"""`auscult challenge`: run a shared task, and score submissions."""

from __future__ import annotations

import click

from auscult.cli.lazy import LazyGroup

_AT = "auscult.cli.challenge"


@click.group(
    cls=LazyGroup,
    commands_at={
        "create": (f"{_AT}.create:create", "Create a challenge from a corpus with splits."),
        "release": (f"{_AT}.release:release", "Write the release for teams, without test codes."),
        "submit": (f"{_AT}.submit:submit", "Record a team's submission."),
        "ledger": (f"{_AT}.submit:ledger", "List all submissions."),
        "leaderboard": (f"{_AT}.ranking:leaderboard", "Rank the systems, with human annotators."),
        "analyze": (f"{_AT}.ranking:analyze", "Test which systems differ significantly."),
        "score": (f"{_AT}.score:score", "Score one submission against gold."),
    },
)
def challenge() -> None:
    """Run a shared task: release, submissions, leaderboard and significance tests.

    \b
    Example:
      auscult challenge create reports-split our-task --annotator majority
      auscult challenge release our-task for-teams
      auscult challenge submit our-task "Team X" run1.xml
      auscult challenge leaderboard our-task --report leaderboard.html
    """
