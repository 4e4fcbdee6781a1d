"""A coder's directory: `coder.json`, the charts it learnt from, and what its kind writes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from pydantic import BaseModel

from auscult.coders.about import LAYOUT, Source
from auscult.core import AuscultError
from auscult.learning.stored import Kept

KEPT = Kept("coder", "coder.json", LAYOUT, "auscult train CORPUS")
TRAINED_ON = "trained_on.txt"
_DIGESTS = re.compile(r"([0-9a-f]{16}\n)*")
check_target, about_file, read_about = KEPT.check_target, KEPT.about_file, KEPT.read_about


def write(
    path: Path,
    about: BaseModel,
    trained_on: Iterable[str],
    fill: Callable[[Path], None],
    *,
    overwrite: bool,
) -> None:
    """Write a coder's directory at one stroke; `fill` writes what was learnt."""

    def everything(directory: Path) -> None:
        (directory / TRAINED_ON).write_text("".join(f"{d}\n" for d in sorted(trained_on)))
        fill(directory)

    KEPT.write(path, about, everything, overwrite=overwrite)


def kind_at(path: Path) -> str:
    """The kind of the coder in a directory."""
    return str(KEPT.read(about_file(path)).get("kind"))


def read_trained_on(path: Path, source: Source) -> frozenset[str]:
    """The digests of the charts a coder learnt from, which are at least as many as it says."""
    file = path / TRAINED_ON
    text = file.read_text(encoding="utf-8", errors="replace") if file.exists() else "missing"
    found = frozenset(text.split())
    if not _DIGESTS.fullmatch(text) or len(found) < source.charts:
        raise AuscultError(
            f"{file} does not list the charts that the coder learnt from: it is missing or "
            "damaged. Without it nothing warns of charts already seen. Train the coder again."
        )
    return found
