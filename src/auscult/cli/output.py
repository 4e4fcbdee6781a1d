"""What all commands share: `--json`, progress, warnings, and the table they print."""

from __future__ import annotations

import functools
import json
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from auscult.cli.progress import Display
from auscult.core import OptionError, UnreadWarning
from auscult.core.option_names import on_command_line
from auscult.core.plurals import counted as counted
from auscult.core.results import broken

F = TypeVar("F", bound=Callable[..., Any])
# Libraries warn of their own affairs, with categories of their own.
_OURS = (UserWarning, UnreadWarning)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object on standard output."
)


def command(function: F) -> F:
    """Give a command `--json`, a progress bar for long work, and warnings as plain lines.

    The function returns what it found, as a dictionary (or a list, which is printed as it is),
    and how to say it: a function without arguments that prints for people.
    """

    @json_option
    @functools.wraps(function)
    def run(*args: Any, as_json: bool, **kwargs: Any) -> None:
        with (
            warnings.catch_warnings(record=True) as caught,
            Display().showing(),
            on_command_line(),
        ):
            warnings.simplefilter("always", UserWarning)
            found, say = function(*args, **kwargs)
        messages = list(dict.fromkeys(str(w.message) for w in caught if w.category in _OURS))
        for message in messages:
            click.echo(f"warning: {message}", err=True)
        with _to_output():
            if as_json:
                shown = found if isinstance(found, list) else {**found, "warnings": messages}
                click.echo(json.dumps(shown, ensure_ascii=False))
            else:
                say()

    return run  # type: ignore[return-value]  # click needs the wrapper, callers see the command


@contextmanager
def _to_output() -> Iterator[None]:
    """Errors of writing to standard output that say so; they carry no file name of their own."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from error


def pair(given: str, form: str = "NAME=VALUE") -> tuple[str, str]:
    """The two sides of an option of the given form.

    >>> pair("train=0.7")
    ('train', '0.7')
    """
    name, equals, value = given.partition("=")
    if not (name and equals and value):
        raise OptionError(f"Expected {form}, got {given!r}.")
    return name, value


def exit_with_1() -> None:
    """Let the command end with exit code 1 once it has printed what it found."""
    exit_with(1)


def exit_with(code: int) -> None:
    """Let the command end with an exit code once it has printed what it found."""

    def leave() -> None:
        raise SystemExit(code)

    click.get_current_context().call_on_close(leave)


def paragraph(text: str, *, hanging: int = 2) -> None:
    """Print a long line on as many as the terminal needs, broken between words."""
    click.echo(wrapped(text, hanging=hanging))


def wrapped(text: str, *, hanging: int = 2) -> str:
    """A long line on as many as the terminal needs, all but the first indented."""
    from auscult.cli.console import PlainConsole

    return textwrap.fill(
        text,
        PlainConsole().width,
        subsequent_indent=" " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )


def table(title: str | None, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table for people: numbers to the right, everything else to the left."""
    from rich.table import Table
    from rich.text import Text

    from auscult.cli.console import PlainConsole

    console = PlainConsole()
    rows = [list(row) for row in rows]
    widths = [max(len(str(cell)) for cell in held) for held in zip(columns, *rows, strict=True)]
    room = max(console.width - sum(2 + width for width in widths[1:]), console.width // 4)
    made = Table(box=None, header_style="bold", pad_edge=False)
    for at, column in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[at], int | float) for row in rows)
        made.add_column(Text(column), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        # As text: in "hemoglobin [mass/volume]" the brackets are no markup.
        cells = (f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row)
        name, *values = cells
        made.add_row(Text(broken(name, room)), *map(Text, values))
    if title is not None:
        console.print(title, style="italic", highlight=False, soft_wrap=True)
    console.print(made)
