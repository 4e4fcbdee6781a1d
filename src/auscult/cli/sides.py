"""What a command is to compare, opened from the path that it was given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from auscult.core import OptionError

if TYPE_CHECKING:
    from auscult.corpus import Corpus


def opened_side(path: Path) -> Corpus:
    """Annotations at a path; an error that says what to do when it is the coder, not its work."""
    from auscult.coders.stored import KEPT
    from auscult.evaluate import open_side

    if (path / KEPT.file).exists():
        raise OptionError(
            f"{path} is a coder, and no codes. Let it code first: auscult predict {path} CORPUS OUT"
        )
    return open_side(path)
