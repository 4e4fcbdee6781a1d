"""What all commands share: `--json`, progress bars, warnings, and the table they print."""

from __future__ import annotations

import functools
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from auscult.core.progress import listening

F = TypeVar("F", bound=Callable[..., Any])
_PATIENCE = 2.0
"""Seconds of work before a progress bar shows."""

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object on standard output."
)


def command(function: F) -> F:
    """Give a command `--json`, a progress bar for long work, and warnings as plain lines.

    The function returns what it found, as a dictionary, and how to say it: a function without
    arguments that prints for people.
    """

    @json_option
    @functools.wraps(function)
    def run(*args: Any, as_json: bool, **kwargs: Any) -> None:
        with warnings.catch_warnings(record=True) as caught, listening(_show):
            warnings.simplefilter("always", UserWarning)
            with _waiting():
                found, say = function(*args, **kwargs)
        messages = list(dict.fromkeys(str(w.message) for w in caught if w.category is UserWarning))
        for message in messages:
            click.echo(f"warning: {message}", err=True)
        if as_json:
            click.echo(json.dumps({**found, "warnings": messages}, ensure_ascii=False))
        else:
            say()

    return run  # type: ignore[return-value]  # click needs the wrapper, callers see the command


def _show(items: Iterable[Any], what: str, total: int | None) -> Iterator[Any]:
    """Pass the items on; once they have taken two seconds, draw a bar on standard error."""
    if total is None and isinstance(items, Sequence):
        total = len(items)
    started = time.monotonic()
    bar = task = None
    try:
        for done, item in enumerate(items):
            if bar is None and time.monotonic() - started > _PATIENCE:
                bar = _bar()
                task = bar.add_task(what, total=total, completed=done)
                bar.start()
            elif bar is not None and task is not None:
                bar.update(task, completed=done)
            yield item
    finally:
        if bar is not None:
            bar.stop()


@contextmanager
def _waiting() -> Iterator[None]:
    """A place to show that work without countable steps goes on; quiet when not a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status("working…", spinner="dots"):
        yield


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Remaining(),
        console=Console(stderr=True),
        transient=True,
    )


def table(title: str | None, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table for people: numbers to the right, everything else to the left."""
    from rich.console import Console
    from rich.table import Table

    rows = [list(row) for row in rows]
    made = Table(title=title, title_justify="left", box=None, header_style="bold", pad_edge=False)
    for at, column in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[at], int | float) for row in rows)
        made.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        made.add_row(*(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row))
    Console(soft_wrap=False).print(made)
