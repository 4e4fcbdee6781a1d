"""Which corpus something was trained on, and what identifies a training."""

from __future__ import annotations

import hashlib
from typing import Any

from pydantic import BaseModel

from auscult.corpus.corpus import Corpus
from auscult.learning.settings import RUNNING


def corpus_digest(corpus: Corpus) -> str:
    """One digest for what a corpus holds: of its files on disk, or of its tables in memory."""
    return corpus.content_digest if corpus.path is None else files_digest(corpus) or ""


def files_digest(corpus: Corpus) -> str | None:
    """One digest for the files of the corpus on disk that this is, or is a part of, or None."""
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
