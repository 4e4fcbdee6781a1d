"""`auscult challenge score`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.annotator_options import bootstrapped, ranged, shown
from auscult.cli.challenge.arguments import say_problems, with_costs
from auscult.cli.options import annotator, predicted_annotator, split
from auscult.cli.output import command, exit_with, table
from auscult.core.version import __version__


@click.command()
@click.argument("gold", type=click.Path(path_type=Path))
@click.argument("submission", type=click.Path(path_type=Path))
@annotator
@predicted_annotator
@split()
@with_costs
@bootstrapped
@command
def score(
    gold: Path,
    submission: Path,
    annotator: str | None,
    predicted_annotator: str | None,
    split: str | None,
    alpha: float,
    beta: float,
    gamma: float,
    times: int,
    seed: int,
) -> Any:
    """Score SUBMISSION against GOLD; each is the challenge's XML, CSV, JSON or a corpus.

    In a document that is missing, all codes count as missed; documents that GOLD does not have are
    ignored and listed. An invalid file has no score: its problems are listed, and the exit code is
    2.

    \b
    Example:
      auscult challenge score gold.xml run1.csv --json
      auscult challenge score gold.xml gold.xml --annotator CMC_MAJORITY \\
        --predicted-annotator COMPANY1
      auscult challenge score split predicted --annotator majority --split test
    """
    from auscult.challenge import score_files
    from auscult.statistics.cost_sensitive import Costs

    found = score_files(
        gold,
        submission,
        annotator=annotator,
        origin=predicted_annotator,
        split=split,
        costs=Costs(alpha, beta, gamma),
        times=times,
        seed=seed,
    )
    checked = found.checked
    if found.score is None:
        exit_with(2)
    made = {
        **({} if found.score is None else found.score.to_dict()),
        "readable": checked.is_readable,
        "documents_answered": checked.charts,
        "codes_given": checked.codes,
        "problems": [problem.to_dict() for problem in checked.problems],
        "annotator": found.annotator,
        "split": split,
        "about": {"auscult": __version__, "bootstrap": times, "seed": seed,
                  "alpha": alpha, "beta": beta, "gamma": gamma},
    }  # fmt: skip

    def say() -> None:
        say_problems(checked.problems)
        if found.score is None:
            click.echo("The submission has no score.")
            return
        rows = [(n, shown(m), ranged(m)) for n, m in found.score.chosen.items()]
        table(None, ["metric", "value", "95%"], rows)

    return made, say
