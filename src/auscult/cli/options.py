"""Options that several commands have: one name, one meaning, one help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

seed = click.option(
    "--seed", type=int, default=0, show_default=True, help="Same seed, same result."
)
note_category = click.option(
    "--category",
    "--note-category",
    "note_category",
    multiple=True,
    help="Only notes of this category; repeatable.",
)


def bootstrap(of: str = "charts") -> Callable[[F], F]:
    """How often to resample."""
    return click.option(
        "--bootstrap",
        "times",
        type=click.IntRange(0),
        default=1000,
        show_default=True,
        help=f"Resamples of the {of} for the intervals; 0 for none.",
    )
