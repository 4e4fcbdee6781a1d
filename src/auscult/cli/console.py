"""The terminal for people: what is printed is text, and a reader that leaves early is no error."""

from __future__ import annotations

from typing import NoReturn

from rich.console import Console


class PlainConsole(Console):
    """Takes no brackets for markup, and leaves it to the command what a broken pipe means."""

    def __init__(self) -> None:
        super().__init__(markup=False, emoji=False)

    def on_broken_pipe(self) -> NoReturn:
        """Say that it broke; rich itself would end the program with 1."""
        raise BrokenPipeError
