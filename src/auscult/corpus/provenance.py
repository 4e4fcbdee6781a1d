"""Which corpus something was trained on, and what identifies a training."""

from __future__ import annotations

import hashlib
from typing import Any

from pydantic import BaseModel

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
    """What identifies a training, for `checkpointed`: not the settings of how it runs."""
    settings = config.model_dump(mode="json", exclude={*RUNNING})
    return [kind, settings, seed, train, dev, corpus_digest(corpus)]
