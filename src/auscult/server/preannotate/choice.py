"""Which model pre-annotates a project."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from auscult.core import OptionError

CODEBOOK, NONE = "codebook", "none"
_SYSTEM = "ICD-10-CM"


def default_choice(
    systems: Collection[str], coders_per_chart: int, pre_annotators: Collection[str]
) -> str | None:
    """The code book for single coding with ICD-10-CM, otherwise nothing.

    Double coding measures how far coders agree: suggestions that both see would draw them to the
    same codes. Pre-annotations of the corpus are what the project was to start from.
    """
    is_wanted = _SYSTEM in systems and coders_per_chart == 1 and not pre_annotators
    return CODEBOOK if is_wanted else None


def named_choice(name: str) -> str | None:
    """What a user asked for: the code book, a model's folder, or none."""
    if name == NONE:
        return None
    if name == CODEBOOK:
        return name
    folder = Path(name)
    if not (folder / "model.json").is_file():
        raise OptionError(
            f"{name} is no model. Expected {CODEBOOK}, {NONE}, or a folder that auscult train made."
        )
    return str(folder.resolve())


def source_of(choice: str) -> str:
    """The name under which a model's pre-annotations are shown."""
    return (choice if choice == CODEBOOK else Path(choice).name)[:200]
