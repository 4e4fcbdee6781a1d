"""`auscult challenge funnel`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.challenge.arguments import challenge_argument, open_challenge
from auscult.cli.output import command, table


@click.command()
@challenge_argument
@command
def funnel(challenge: Path) -> Any:
    """Show how the documents were selected: what each step removed and left.

    Every command that selects documents records its steps: import, deid, sample, majority, split
    and create. The table is that of Pestian et al. 2007, Table 2.

    \b
    Example:
      auscult challenge funnel our-task
    """
    from auscult.corpus.history import funnel as steps

    rows = steps(open_challenge(challenge).corpus)
    has_units = len({row.document for row in rows}) > 1

    def say() -> None:
        if not rows:
            click.echo("No steps are recorded: an earlier version made the corpus.")
            return
        table(
            None,
            ["step", *(["of"] if has_units else []), "removed", "documents left", "by"],
            [
                (
                    row.step,
                    *([f"{row.document}s"] if has_units else []),
                    row.removed,
                    row.left,
                    row.by,
                )
                for row in rows
            ],
        )

    return {"challenge": str(challenge), "steps": [row.to_dict() for row in rows]}, say
