"""The care setting of an encounter, whose guidelines say what an uncertain diagnosis is worth."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from auscult.core import Note

CareSetting = Literal["auto", "outpatient", "inpatient"]
_VISITS = ("ambulatory", "clinic", "emergency", "office", "outpatient", "telehealth", "urgent care")


_STAYS = re.compile(
    r"\b(?:admitted|admission|discharge[ds]?|hospital course|hospital day|inpatient|icu|ward|pod|"
    r"postoperative day|delivery|extubated|transferred)\b",
    re.IGNORECASE,
)


def is_visit(notes: Sequence[Note], *, is_encounter: bool) -> bool:
    """Whether notes are of an outpatient: by their category, else by their words.

    A note of an encounter that speaks of no admission is of a visit. Other texts tell nothing.
    """
    if any(word in (note.category or "").lower() for note in notes for word in _VISITS):
        return True
    has_category = any(note.category for note in notes)
    return (
        is_encounter
        and not has_category
        and not any(_STAYS.search(note.text or "") for note in notes)
    )
