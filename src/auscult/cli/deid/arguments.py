"""What the commands about de-identification share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from auscult.corpus import Corpus
    from auscult.corpus.deid import Decision, Recogniser

F = TypeVar("F", bound=Callable[..., Any])
file_type = click.Path(path_type=Path)
out_argument = click.argument("out", type=file_type)
overwrite_option = click.option("--overwrite", is_flag=True, help="Replace what is at OUT.")
decisions_option = click.option(
    "--decisions",
    "files",
    multiple=True,
    type=file_type,
    help="A queue filled in (.csv); repeatable.",
)


def recognised(function: F) -> F:
    """Give a command the options of how secrets are found."""
    for option in reversed(
        (
            click.option("--day-first", is_flag=True, help="Read 3/4/2149 as 3 April."),
            click.option(
                "--extra",
                "extras",
                multiple=True,
                type=click.Choice(["presidio"]),
                help="A further recogniser; repeatable.",
            ),
        )
    ):
        function = option(function)
    return function


def recognisers_of(extras: tuple[str, ...]) -> tuple[Recogniser, ...]:
    """The recognisers that come with Auscult, and those that were asked for."""
    from auscult.corpus.deid import builtin

    chosen = builtin()
    if "presidio" in extras:
        from auscult.corpus.deid.recognisers.presidio import Presidio

        chosen = (*chosen, Presidio())
    return chosen


def read_decided(corpus: Corpus, files: tuple[Path, ...]) -> list[Decision]:
    """The decisions in filled-in queues."""
    from auscult.corpus.deid.sheet import read_decisions

    if not files:
        return []
    notes = set(corpus.notes.select("note_id").collect()["note_id"])
    return read_decisions(files, notes)


def passphrase_of(*, confirm: bool = False) -> str:
    """The passphrase of a key: never from the command line, where others can see it."""
    from auscult.corpus.deid.key import PASSPHRASE, check_passphrase

    given = os.environ.get(PASSPHRASE)
    if given is None:
        given = str(
            click.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm, err=True)
        )
    check_passphrase(given)
    return given
