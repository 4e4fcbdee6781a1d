"""A finding of the doctor."""

from __future__ import annotations

from dataclasses import asdict, dataclass
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

    `example` says where; `text` quotes the note and is only filled in when asked for.
    """

    check: str
    severity: Severity
    count: int
    problem: str
    example: str
    advice: str
    text: str | None = None

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)
