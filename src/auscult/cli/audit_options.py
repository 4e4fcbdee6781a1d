"""Options shared by the commands of `auscult audit`."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import click

from auscult.core.randomness import shuffled

if TYPE_CHECKING:
    from auscult.corpus.corpus import Chart

code_option = click.option(
    "--code",
    "code",
    nargs=2,
    metavar="SYSTEM VALUE",
    required=True,
    help="Code whose score to audit, such as: outcome readmitted",
)


def drawn(charts: list[Chart], number: int | None, seed: int) -> list[Chart]:
    """A random sample of the charts, in their order."""
    if number is None or number >= len(charts):
        return charts
    kept = shuffled(range(len(charts)), random.Random(seed))[:number]
    return [charts[at] for at in sorted(kept)]
