"""What can be wrong with a submission, and whether it can be counted all the same."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ProblemKind(StrEnum):
    """The kinds of problems."""

    UNREADABLE = "unreadable"
    """Not UTF-8, not well-formed, not JSON, not a table."""
    ENTITY = "entity"
    ROOT = "wrong root"
    ROOTS = "two roots"
    SHAPE = "wrong shape"
    """Not valid against the schema, or the equivalent in CSV and JSON."""
    ORIGINS = "several origins"
    TWICE = "duplicate document"
    OUTSIDE = "code outside the label set"
    NEVER = "code that is not in gold"
    """Without a label set: the code is counted as wrong."""
    SYSTEM = "another code system"
    """A code of the label set, labeled with another code system."""
    NOTHING = "no document of the test set"
    UNKNOWN = "unknown document"
    MISSING = "missing document"
    INCOMPLETE = "incomplete"
    """Documents are missing, and nobody confirmed that they are meant to be."""
    REPEATED = "duplicate code"
    SPAN = "wrong span"
    """A span that is not in a note of the document."""
    NO_SPAN = "code without evidence"
    TIME = "outside the calendar"

    @property
    def is_format(self) -> bool:
        """Whether the file is not what a submission looks like, so that it cannot be counted."""
        return self in _FORMAT


_FORMAT = {
    ProblemKind.UNREADABLE,
    ProblemKind.ENTITY,
    ProblemKind.ROOT,
    ProblemKind.ROOTS,
    ProblemKind.SHAPE,
    ProblemKind.ORIGINS,
}
_REMARKS = {
    ProblemKind.NEVER,
    ProblemKind.SYSTEM,
    ProblemKind.UNKNOWN,
    ProblemKind.MISSING,
    ProblemKind.REPEATED,
    ProblemKind.NO_SPAN,
}


@dataclass(frozen=True, slots=True)
class SubmissionProblem:
    """One problem, with the line of the file where there is one.

    >>> print(SubmissionProblem(ProblemKind.ROOT, "the root must be <docs>; got <doc>", 2))
    line 2: the root must be <docs>; got <doc>
    """

    kind: ProblemKind
    says: str
    row: int | None = None
    is_counted: bool = False
    """Whether the submission is still scored, where a challenge would reject it."""

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
