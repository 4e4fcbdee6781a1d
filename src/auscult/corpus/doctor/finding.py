"""A finding of the doctor."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    """How bad it is: an error makes results wrong, a warning may, a remark is worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    REMARK = "remark"

    @property
    def rank(self) -> int:
        """0 is the worst."""
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found: how bad, how often, where for example, and what to do about it.

    `problem` goes on from the count: "3 notes without text". `examples` say where, as many as were
    asked for; `text` quotes the note of the first and is only filled in when asked for.
    """

    check: str
    severity: Severity
    count: int
    problem: str
    examples: tuple[str, ...]
    advice: str
    text: str | None = field(default=None, repr=False)

    @property
    def example(self) -> str:
        """The first of the examples."""
        return self.examples[0]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {**asdict(self), "example": self.example}
