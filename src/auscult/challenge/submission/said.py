"""What a submission says, as it stands in the file: nothing looked up, nothing put right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from auscult.challenge.submission.problem import Problem

UNNAMED = "code"
"""The code system of codes that a file has without one."""


@dataclass(frozen=True, slots=True)
class Given:
    """A code on a line of the file, with its code system and who gave it where the file says so."""

    value: str
    row: int | None = None
    system: str | None = None
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A document on a line of the file and the codes it was given, of which there may be none."""

    chart_id: str
    row: int | None = None
    codes: tuple[Given, ...] = ()


@dataclass(frozen=True, slots=True)
class Submission:
    """The documents in order; one that comes twice is twice there."""

    said: tuple[Said, ...] = field(default=(), repr=False)
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, said: Iterable[Said], problems: Iterable[Problem] = ()) -> Submission:
        """A submission, its problems by line."""
        ordered = sorted(problems, key=lambda problem: problem.row or 0)
        return cls(tuple(said), tuple(ordered))
