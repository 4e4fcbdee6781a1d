"""Arguments and options shared by the challenge commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from auscult.challenge.submission import SubmissionProblem

challenge_argument = click.argument("challenge", type=click.Path(path_type=Path))
_COSTS = (
    click.option("--alpha", type=float, default=1.0, show_default=True,
                 help="Cost-sensitive accuracy: exponent α of the score."),
    click.option("--beta", type=float, default=0.33, show_default=True,
                 help="Cost-sensitive accuracy: cost β of a missed code."),
    click.option("--gamma", type=float, default=1.0, show_default=True,
                 help="Cost-sensitive accuracy: cost γ of a wrong code."),
)  # fmt: skip
_ERRORS, _REMARKS = 20, 5


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
