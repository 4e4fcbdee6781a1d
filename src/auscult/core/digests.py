"""Digests of files and of what was asked for."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any


def file_digest(file: Path) -> str:
    """SHA-256 of a file, which need not fit into memory."""
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def file_digests(path: Path) -> dict[str, str]:
    """SHA-256 of every file of a directory, by its place in it, in order."""
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return {file.relative_to(path).as_posix(): file_digest(file) for file in files}


def directory_digest(path: Path) -> str:
    """One digest for all files of a directory, such as a model's."""
    lines = (f"{name} {content}\n" for name, content in file_digests(path).items())
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def digest_of(*asked: Any) -> str:
    """A short digest of values that JSON has, whatever the order of their keys.

    >>> digest_of("a", 1) == digest_of("a", 1) != digest_of("a", 2)
    True
    """
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:32]
