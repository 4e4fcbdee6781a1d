"""Digests of files and of what was asked for."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any


def directory_digest(path: Path) -> str:
    """One digest for all files of a directory, such as a coder's."""
    digest = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        if file.is_file():
            with file.open("rb") as handle:
                content = hashlib.file_digest(handle, "sha256").hexdigest()
            digest.update(f"{file.relative_to(path).as_posix()} {content}\n".encode())
    return digest.hexdigest()


def digest_of(*asked: Any) -> str:
    """A short digest of values that JSON has.

    >>> digest_of("a", 1) == digest_of("a", 1) != digest_of("a", 2)
    True
    """
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:32]
