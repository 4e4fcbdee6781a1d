"""A finding of the coding edits: which codes, which instruction, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from auscult.codes.tabular import Instruction


class EditSeverity(StrEnum):
    """Errors cannot be billed as they are, warnings may be wrong, notes are worth checking."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 is the worst."""
        return list(EditSeverity).index(self)


@dataclass(frozen=True, slots=True)
class CodingFinding:
    """One finding: the rule, the codes that it is about, what it rests on, and what to do.

    It rests on an `instruction` of the Tabular List, on a `guideline` of the Official Guidelines
    or of the Medicare Code Editor, or on both.
    """

    rule: str
    severity: EditSeverity
    codes: tuple[str, ...]
    problem: str
    advice: str
    guideline: str = ""
    instruction: Instruction | None = None

    @property
    def citation(self) -> str:
        """What it rests on, in one line."""
        parts = [self.guideline] if self.guideline else []
        if self.instruction is not None:
            line = self.instruction
            parts.insert(0, f"{line.kind.heading} at {line.at}: {line.text.lstrip(', ')}")
        return "; ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        line = self.instruction
        return {
            "rule": self.rule,
            "severity": self.severity.value,
            "codes": list(self.codes),
            "problem": self.problem,
            "advice": self.advice,
            "guideline": self.guideline or None,
            "instruction": line and {"kind": line.kind.value, "text": line.text, "at": line.at},
        }


def official(section: str) -> str:
    """A section of the Official Guidelines as it is cited.

    >>> official("I.B.5")
    'ICD-10-CM Official Guidelines, Section I.B.5'
    """
    return f"ICD-10-CM Official Guidelines, Section {section}"
