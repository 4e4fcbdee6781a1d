"""Options for local and distributed execution."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
_OPTIONS = (
    click.option(
        "--engine",
        type=click.Choice(["local", "ray"]),
        default="local",
        show_default=True,
        help="This machine or Ray.",
    ),
    click.option("--address", metavar="HOST:PORT", help="Ray cluster.  [default: start one]"),
    click.option(
        "--workers",
        type=click.IntRange(1),
        metavar="N",
        help="Worker processes.  [ray: all that fit]",
    ),
    click.option(
        "--threads",
        type=click.IntRange(1),
        metavar="N",
        help="Threads per worker.",
    ),
)


def on_engine(function: F) -> F:
    """Add the options of an engine to a command; it is called with the open engine."""

    @functools.wraps(function)
    def run(
        *args: Any,
        engine: str,
        address: str | None,
        workers: int | None,
        threads: int | None,
        **kwargs: Any,
    ) -> Any:
        from auscult.engine import open_engine

        with open_engine(engine, address=address, workers=workers, threads=threads) as chosen:
            return function(*args, engine=chosen, **kwargs)

    made: Any = run
    for option in reversed(_OPTIONS):
        made = option(made)
    return made  # type: ignore[no-any-return]  # click needs the wrapper, callers see the command


partition_option = click.option(
    "--partition",
    "partition",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    metavar="N",
    help="Notes per partition.",
)
