"""Arguments and options shared by the de-identification commands."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from auscult.corpus import Corpus
    from auscult.deid import Recognizer, ReviewDecision

F = TypeVar("F", bound=Callable[..., Any])
file_type = click.Path(path_type=Path)
out_argument = click.argument("out", type=file_type)


def recognized(function: F) -> F:
    """Add the options that control recognition."""
    for option in reversed(
        (
            click.option("--day-first", is_flag=True, help="Read 3/4/2149 as April 3."),
            click.option(
                "--recognizer",
                "extras",
                multiple=True,
                type=click.Choice(["presidio"]),
                help="Additional recognizer; repeatable.",
            ),
        )
    ):
        function = option(function)
    return function


def recognizers_of(extras: tuple[str, ...]) -> tuple[Recognizer, ...]:
    """The built-in recognizers and the additional ones."""
    from auscult.deid import builtin

    chosen = builtin()
    if "presidio" in extras:
        from auscult.deid.recognizers.presidio import PresidioRecognizer

        chosen = (*chosen, PresidioRecognizer())
    return chosen


def read_decided(corpus: Corpus, files: tuple[Path, ...]) -> list[ReviewDecision]:
    """The decisions in filled-in queues."""
    from auscult.deid.sheet import read_decisions

    if not files:
        return []
    notes = set(corpus.lazy_notes.select("note_id").collect()["note_id"])
    return read_decisions(files, notes)


def passphrase_of(*, confirm: bool = False) -> str:
    """The passphrase of a key: never from the command line, where others can see it."""
    from auscult.core import OptionError
    from auscult.deid.key import PASSPHRASE, check_passphrase

    given = os.environ.get(PASSPHRASE)
    if given is None:
        try:
            given = str(
                click.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm, err=True)
            )
        except click.Abort:
            raise OptionError(
                f"No passphrase was given. Type it in a terminal, or set {PASSPHRASE}."
            ) from None
    check_passphrase(given)
    return given
