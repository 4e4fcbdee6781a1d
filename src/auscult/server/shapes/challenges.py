"""Shared tasks: what they are about, submissions, and the ranking."""

from __future__ import annotations

from pydantic import Field

from auscult.challenge.ledger import Status
from auscult.challenge.settings import Counting, Feedback
from auscult.server.shapes.common import Out
from auscult.server.shapes.measures import MeasureOut


class ChallengeInList(Out):
    """A challenge that you may take part in."""

    name: str = Field(description="As it is in addresses.")
    title: str
    is_published: bool = Field(description="Whether it has ended, and its ranking shows.")


class SubmissionOut(Out):
    """A submission in the ledger."""

    number: int
    time: str
    team: str
    status: Status
    attempt: int | None
    file: str
    documents: int
    codes: int
    problems: int


class ChallengeOut(Out):
    """A challenge: what its rules say, and what your team has sent."""

    name: str
    title: str
    systems: list[str]
    codes: int
    train: int = Field(description="Documents with their codes.")
    test: int = Field(description="Documents to be coded.")
    attempts: int
    left: int = Field(description="Attempts that your team has left.")
    feedback: Feedback
    counting: Counting
    team: str = Field(description="Your team: the name of your account.")
    may_organise: bool
    is_published: bool
    shows_ranking: bool
    submissions: list[SubmissionOut] = Field(description="Your team's; for organisers all.")


class ProblemOut(Out):
    """Something in a submission that is wrong, or worth a look."""

    kind: str
    says: str
    row: int | None
    is_error: bool


class ReceiptOut(Out):
    """What became of a submission, with every problem that it has."""

    submission: SubmissionOut
    left: int
    problems: list[ProblemOut]
    scores: dict[str, float | None] | None = Field(
        description="Only where the challenge tells teams their scores."
    )


class RankedOut(Out):
    """A team's system, or a person who is placed among them without a rank."""

    name: str
    rank: int | None
    ranks: tuple[int, int] | None = Field(description="Where the rank is in 95% of resamples.")
    is_person: bool
    is_own: bool
    attempts: int
    measures: dict[str, MeasureOut]


class RankingOut(Out):
    """The ranking by micro-F1."""

    documents: int
    codes: int
    rows: list[RankedOut]
    definitions: dict[str, str]
