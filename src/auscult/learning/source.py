"""Which corpus something learnt from, and where it keeps its checkpoints meanwhile."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from auscult.core.digests import digest_of
from auscult.corpus.corpus import Corpus
from auscult.learning.settings import RUNNING


def corpus_digest(corpus: Corpus) -> str | None:
    """One digest for a corpus on disk, of its files' digests; None for one in memory."""
    if not corpus.manifest.files:
        return None
    listed = sorted((name, entry.sha256) for name, entry in corpus.manifest.files.items())
    return hashlib.sha256(repr(listed).encode()).hexdigest()


def training_of(
    kind: str, config: BaseModel, seed: int, train: str, dev: str | None, corpus: Corpus
) -> list[Any]:
    """What makes a training what it is, for `checkpointed`; not how it runs."""
    settings = config.model_dump(mode="json", exclude={*RUNNING})
    return [kind, settings, seed, train, dev, corpus_digest(corpus)]


@contextmanager
def checkpointed(out: Path, asked: Sequence[Any]) -> Iterator[Path]:
    """A folder beside `out` for the checkpoints of what was asked for, and of nothing else.

    It is kept when the work is interrupted, and removed, with those of anything else that was once
    asked for there, when it is done.
    """
    every = out.parent / f".{out.name}.training"
    yield every / digest_of(*asked)
    shutil.rmtree(every, ignore_errors=True)
