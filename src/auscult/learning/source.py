"""Which corpus something learnt from, and where it keeps its checkpoints meanwhile."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from auscult.corpus.corpus import Corpus


def corpus_digest(corpus: Corpus) -> str | None:
    """One digest for a corpus on disk, of its files' digests; None for one in memory."""
    if not corpus.manifest.files:
        return None
    listed = sorted((name, entry.sha256) for name, entry in corpus.manifest.files.items())
    return hashlib.sha256(repr(listed).encode()).hexdigest()


def checkpoints_of(out: Path, asked: Sequence[Any]) -> Path:
    """A folder beside `out` for the checkpoints of what was asked for, and of nothing else.

    All such folders of one `out` have the same parent, to be removed once the work is done.
    """
    name = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:16]
    return out.parent / f".{out.name}.training" / name
