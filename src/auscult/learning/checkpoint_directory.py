"""The directory of the checkpoints of a training run."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from auscult.core.digests import digest_of


def checkpoints_of(out: Path) -> Path:
    """The directory next to `out` for the checkpoints of all training runs with that `out`."""
    return out.parent / f".{out.name}.training"


@contextmanager
def checkpointed(out: Path, asked: Sequence[Any]) -> Iterator[Path]:
    """A directory beside `out` for the checkpoints of one training run.

    It is kept when the run is interrupted, and removed when the run is done, together with those of
    other runs with the same `out`.
    """
    every = checkpoints_of(out)
    yield every / digest_of(*asked)
    shutil.rmtree(every, ignore_errors=True)
