"""A finding of the doctor."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    """The severity of a finding: errors make results wrong, warnings may, remarks are worth
    knowing.
    """

    ERROR = "error"
    WARNING = "warning"
    REMARK = "remark"

    @property
    def rank(self) -> int:
        """0 is the worst."""
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check: severity, count, example locations, and advice.

    `problem` goes on from the count: "3 notes without text". `examples` say where, as many as were
    asked for; `texts` quote the notes there, in the same order, and are only there when asked for.
    """

    check: str
    severity: Severity
    count: int
    problem: str
    examples: tuple[str, ...]
    advice: str
    texts: tuple[str, ...] = field(default=(), repr=False)

    @property
    def text(self) -> str | None:
        """What stands at the first of the examples, if it was asked for."""
        return self.texts[0] if self.texts else None

    @property
    def example(self) -> str:
        """The first of the examples."""
        return self.examples[0]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {**asdict(self), "example": self.example, "text": self.text}
