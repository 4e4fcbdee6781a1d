"""What the code book assigns to a text."""

from __future__ import annotations

from auscult.core import Note
from auscult.models.codebook.assigning import CodeAssigner


def codes(assigner: CodeAssigner, text: str) -> set[str]:
    """The codes of a note with this text."""
    return {one.code.value for one in assigner.candidates([Note("n", "n", text=text)])}
