"""A note's text as a plain file of its own, to the character."""

from __future__ import annotations

from pathlib import Path

from auscult.core.files import read_text
from auscult.corpus.formats.contract import Losses
from auscult.corpus.formats.shared.files import create_text


def read_note(path: Path) -> str:
    """The text of a note. A byte order mark is kept: tools that mark up such files count it."""
    return read_text(path, keep_mark=True)


def write_note(path: Path, text: str, losses: Losses) -> str:
    """Write a note's text, and return it as it was written.

    NUL is no text to any reader, so it becomes U+FFFD and a loss.
    """
    if "\0" in text:
        losses.add("notes.text", "NUL characters in a text", "written as U+FFFD", text.count("\0"))
        text = text.replace("\0", "\ufffd")
    with create_text(path) as handle:
        handle.write(text)
    return text
