"""What reading and writing MDACE both go by."""

from __future__ import annotations

from pathlib import Path

COMMENT, DESCRIPTION, TYPE = "chart_comment", "description", "type"
PRACTICES = ("inpatient", "profee")
UNNAMED = "gold"


def practice(folder: Path) -> str | None:
    """Inpatient or profee, whichever the nearest folder is called."""
    named = (part.casefold() for part in reversed(folder.resolve().parts))
    return next((part for part in named if part in PRACTICES), None)
