"""The options that say where work runs."""

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
        help="This machine, or a Ray cluster.",
    ),
    click.option("--address", metavar="HOST:PORT", help="Of the Ray cluster  [default: a new one]"),
    click.option(
        "--workers",
        type=click.IntRange(1),
        help="Processes at work  [default: 1; ray: as many as there is room for]",
    ),
    click.option(
        "--threads",
        type=click.IntRange(1),
        help="Threads of each worker  [default: the cores, shared out; ray: 1]",
    ),
)


def on_engine(function: F) -> F:
    """Give a command the options of an engine; it is called with the engine, ready for use."""

    @functools.wraps(function)
    def run(
        *args: Any,
        engine: str,
        address: str | None,
        workers: int | None,
        threads: int | None,
        **kwargs: Any,
    ) -> Any:
        from auscult.engine import opened

        with opened(engine, address=address, workers=workers, threads=threads) as chosen:
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
    help="Notes that are finished together: what an interruption may lose.",
)
