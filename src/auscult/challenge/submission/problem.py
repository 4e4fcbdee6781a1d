"""What can be wrong with a submission, and whether it can be counted all the same."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """The kinds of problems."""

    UNREADABLE = "unreadable"
    """Not UTF-8, not well-formed, not JSON, not a table."""
    ENTITY = "entity"
    ROOT = "wrong root"
    ROOTS = "two roots"
    SHAPE = "wrong shape"
    """Not as the schema says, or its like in CSV and JSON."""
    ORIGINS = "several origins"
    TWICE = "duplicate document"
    OUTSIDE = "code outside the label set"
    NEVER = "code that gold never has"
    """Where there is no label set; it is wrong, and counts so."""
    SYSTEM = "another code system"
    """A code of the label set under the name of a system it is not of."""
    NOTHING = "no document of the test set"
    UNKNOWN = "unknown document"
    MISSING = "missing document"
    REPEATED = "duplicate code"

    @property
    def is_format(self) -> bool:
        """Whether the file is not what a submission looks like, so that it cannot be counted."""
        return self in _FORMAT


_FORMAT = {Kind.UNREADABLE, Kind.ENTITY, Kind.ROOT, Kind.ROOTS, Kind.SHAPE, Kind.ORIGINS}
_REMARKS = {Kind.NEVER, Kind.SYSTEM, Kind.UNKNOWN, Kind.MISSING, Kind.REPEATED}


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem, with the line of the file where there is one.

    >>> print(Problem(Kind.ROOT, "the root must be <docs>; got <doc>", 2))
    line 2: the root must be <docs>; got <doc>
    """

    kind: Kind
    says: str
    row: int | None = None
    is_counted: bool = False
    """Whether it is counted all the same, where a challenge would refuse the submission."""

    @property
    def is_error(self) -> bool:
        """Whether the submission is refused for it."""
        return self.kind not in _REMARKS and not self.is_counted

    def __str__(self) -> str:
        return self.says if self.row is None else f"line {self.row}: {self.says}"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "kind": self.kind.value,
            "severity": "error" if self.is_error else "remark",
            "line": self.row,
            "problem": self.says,
        }
