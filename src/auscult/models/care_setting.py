"""The care setting of an encounter, whose guidelines say what an uncertain diagnosis is worth."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from auscult.core import Note

CareSetting = Literal["auto", "outpatient", "inpatient"]
_VISITS = ("ambulatory", "clinic", "emergency", "office", "outpatient", "telehealth", "urgent care")


def is_visit(notes: Iterable[Note]) -> bool:
    """Whether the categories of notes are those of outpatients: a clinic, an office, an ED."""
    return any(word in (note.category or "").lower() for note in notes for word in _VISITS)
