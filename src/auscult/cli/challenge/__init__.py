"""`auscult challenge`: run a shared task, and score submissions."""

from __future__ import annotations

import click

from auscult.cli.lazy import LazyGroup

_AT = "auscult.cli.challenge"


@click.group(
    cls=LazyGroup,
    commands_at={
        "create": (f"{_AT}.create:create", "Create a challenge from a corpus with splits."),
        "calendar": (f"{_AT}.calendar:calendar", "Show or change the dates."),
        "release": (f"{_AT}.release:release", "Write the release for teams, without test codes."),
        "register": (f"{_AT}.teams:register", "Register a team."),
        "describe": (f"{_AT}.teams:describe", "Record a team's description of its system."),
        "teams": (f"{_AT}.teams:teams", "List the teams and their descriptions."),
        "check": (f"{_AT}.check:check", "Check a submission against a release, without gold."),
        "submit": (f"{_AT}.submit:submit", "Record a team's submission."),
        "ledger": (f"{_AT}.submit:ledger", "List all submissions."),
        "leaderboard": (f"{_AT}.ranking:leaderboard", "Rank the systems, with human annotators."),
        "analyze": (f"{_AT}.ranking:analyze", "Test which systems differ significantly."),
        "publish": (f"{_AT}.calendar:publish", "Publish the ranking, which closes the challenge."),
        "funnel": (f"{_AT}.funnel:funnel", "Show how the documents were selected, step by step."),
        "score": (f"{_AT}.score:score", "Score one submission against gold."),
    },
)
def challenge() -> None:
    """Run a shared task: release, submissions, leaderboard and significance tests.

    \b
    Example:
      auscult challenge create reports-split our-task --annotator majority
      auscult challenge calendar our-task --closing "2027-03-18 23:59 AoE"
      auscult challenge release our-task for-teams
      auscult challenge submit our-task "Team X" run1.xml
      auscult challenge leaderboard our-task --report leaderboard.html
    """
