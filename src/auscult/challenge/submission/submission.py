"""A submission as read from its file, before any checks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from auscult.challenge.submission.problem import SubmissionProblem

UNNAMED = "code"
"""The code system of codes without one."""


@dataclass(frozen=True, slots=True)
class SubmittedCode:
    """A code of the file, with its code system and origin if the file has them."""

    value: str
    row: int | None = None
    system: str | None = None
    origin: str | None = None
    note: str | None = None
    """The note of the evidence; without one, that of a document of one note."""
    spans: tuple[tuple[int, int], ...] = ()
    """Begin and end of the evidence, in Unicode code points of the note."""


@dataclass(frozen=True, slots=True)
class SubmittedDocument:
    """A document of the file and its predicted codes, possibly none."""

    chart_id: str
    row: int | None = None
    codes: tuple[SubmittedCode, ...] = ()


@dataclass(frozen=True, slots=True)
class Submission:
    """The documents of a submission, in order; duplicates are kept."""

    documents: tuple[SubmittedDocument, ...] = field(default=(), repr=False)
    problems: tuple[SubmissionProblem, ...] = ()

    @classmethod
    def of(
        cls, documents: Iterable[SubmittedDocument], problems: Iterable[SubmissionProblem] = ()
    ) -> Submission:
        """A submission, its problems by line."""
        ordered = sorted(problems, key=lambda problem: problem.row or 0)
        return cls(tuple(documents), tuple(ordered))
