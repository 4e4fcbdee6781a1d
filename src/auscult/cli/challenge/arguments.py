"""Arguments and options shared by the challenge commands."""

from __future__ import annotations

import getpass
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from auscult.challenge import Challenge
    from auscult.challenge.submission import SubmissionProblem

challenge_argument = click.argument("challenge", type=click.Path(path_type=Path))
track = click.option(
    "--track",
    type=click.Choice(["codes", "evidence"]),
    default="codes",
    show_default=True,
    help="Track: codes, or evidence (the text that supports them).",
)
incomplete = click.option(
    "--incomplete",
    is_flag=True,
    help="Confirm that documents are missing on purpose; their codes then count as missed.",
)
_COSTS = (
    click.option("--alpha", type=float, default=1.0, show_default=True,
                 help="Cost-sensitive accuracy: exponent α of the score."),
    click.option("--beta", type=float, default=0.33, show_default=True,
                 help="Cost-sensitive accuracy: cost β of a missed code."),
    click.option("--gamma", type=float, default=1.0, show_default=True,
                 help="Cost-sensitive accuracy: cost γ of a wrong code."),
)  # fmt: skip
_ERRORS, _REMARKS = 20, 5


def open_challenge(path: Path) -> Challenge:
    """The challenge, by the clock of the command if it was given one."""
    from auscult.challenge import Challenge
    from auscult.core.clock import Clock

    return Challenge.open(path, clock=click.get_current_context().find_object(Clock))


def user() -> str:
    """Who gives the command, for what is written down."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "organizer"


def with_costs(function: Any) -> Any:
    """Add the parameters of cost-sensitive accuracy."""
    for option in reversed(_COSTS):
        function = option(function)
    return function


def say_problems(problems: Sequence[SubmissionProblem]) -> None:
    """Print problems, errors first and by line; of many of a kind, some and their number."""
    number = Counter(problem.kind for problem in problems)
    said: Counter[object] = Counter()
    for problem in sorted(problems, key=lambda problem: not problem.is_error):
        said[problem.kind] += 1
        mark = click.style("error ", fg="red", bold=True) if problem.is_error else "remark"
        listed = _ERRORS if problem.is_error else _REMARKS
        if said[problem.kind] <= listed:
            click.echo(f"{mark} {problem}")
        elif said[problem.kind] == number[problem.kind]:
            more = number[problem.kind] - listed
            click.echo(f"{mark} {problem.kind.value}: {more:,} more; --json lists them all")
