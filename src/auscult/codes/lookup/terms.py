"""A wording of a code, as the search keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class TermSource(StrEnum):
    """Where a wording comes from, as a result says it."""

    INDEX = "Index"
    INCLUSION = "inclusion term"
    DESCRIPTION = "description"
    CLINICIANS = "clinicians' wording"
    NEOPLASM = "Neoplasm Table"
    DRUG = "Table of Drugs"
    EXTERNAL_CAUSE = "External Cause Index"


@dataclass(frozen=True, slots=True)
class SearchTerm:
    """A wording of a code.

    `words` count when a query lacks them; `optional` words, such as the index's non-essential
    modifiers, do not. `label` is what a result shows as the reason.
    """

    words: str
    code: str
    source: TermSource
    label: str
    optional: str = ""
    is_residual: bool = False
    """True of "other" and "specified, not elsewhere classified", which nobody means by the rest
    of the words."""
    is_written: bool = True
    """Whether it may be looked for in running text, where there is nothing else to go by."""


def reason(source: TermSource, label: str) -> str:
    """What a result shows as the reason; the clinicians' labels say themselves what they are."""
    return label if source is TermSource.CLINICIANS else f"{source}: {label}"
