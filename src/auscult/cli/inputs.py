"""Open the annotations that a command compares."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from auscult.core import OptionError

if TYPE_CHECKING:
    from auscult.corpus import Corpus


def opened_side(path: Path) -> Corpus:
    """Annotations at a path; a helpful error if it is a model instead."""
    from auscult.evaluate import open_side
    from auscult.models.saved import KEPT

    if (path / KEPT.file).exists():
        raise OptionError(
            f"{path} is a model; annotations are needed here. Run inference first: "
            f"auscult predict {path} CORPUS OUT"
        )
    return open_side(path)
