"""What a format could not hold, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from auscult.cli.output import table

if TYPE_CHECKING:
    from auscult.corpus.formats import Loss


def say_losses(losses: Sequence[Loss]) -> None:
    """Print what was lost and what became of it, if anything was."""
    if losses:
        rows = [(loss.count, loss.what, loss.became) for loss in losses]
        table("The format cannot hold:", ["", "what", "became of it"], rows)
