"""The text files that formats are made of: finding, reading and making them."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO, cast

from auscult.core import FormatError
from auscult.core.files import read_bytes, read_text

__all__ = ["create_text", "read_bytes", "read_text", "text_files"]


def text_files(folder: Path, suffix: str) -> Iterator[Path]:
    """The files of a folder with a suffix, in order of name; an error when there is none."""
    if not folder.is_dir():
        raise FormatError("expected a folder", folder)
    found = sorted(path for path in folder.iterdir() if path.name.endswith(suffix))
    if not found:
        raise FormatError(f"no *{suffix} file in the folder", folder)
    return iter(found)


def create_text(path: Path) -> TextIO:
    """A new file to write text to as it is, packed when its name ends in .gz."""
    if path.suffix == ".gz":
        return cast(TextIO, gzip.open(path, "wt", encoding="utf-8", newline=""))
    return path.open("w", encoding="utf-8", newline="")
