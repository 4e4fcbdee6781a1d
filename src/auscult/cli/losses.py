"""Print what a format cannot represent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from auscult.cli.output import table

if TYPE_CHECKING:
    from auscult.corpus.formats import Loss


def say_losses(losses: Sequence[Loss]) -> None:
    """Print what was lost in conversion, and how, if anything."""
    if losses:
        rows = [(loss.count, loss.what, loss.became) for loss in losses]
        table("Not representable in this format:", ["", "what", "result"], rows)
