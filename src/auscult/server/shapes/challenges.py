"""Shared tasks: description, submissions, and the ranking."""

from __future__ import annotations

from pydantic import Field

from auscult.challenge.ledger import SubmissionStatus
from auscult.challenge.settings import Feedback, RankedSubmission
from auscult.server.shapes.common import Out
from auscult.server.shapes.metrics import MetricOut


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
    status: SubmissionStatus
    attempt: int | None
    file: str
    documents: int
    codes: int
    problems: int


class ChallengeOut(Out):
    """A challenge: its rules, and your team's submissions."""

    name: str
    title: str
    systems: list[str]
    codes: int
    train: int = Field(description="Documents with their codes.")
    test: int = Field(description="Documents to be coded.")
    attempts: int
    left: int = Field(description="Attempts that your team has left.")
    feedback: Feedback
    counting: RankedSubmission
    team: str = Field(description="Your team: the name of your account.")
    may_organize: bool
    is_published: bool
    shows_ranking: bool
    submissions: list[SubmissionOut] = Field(description="Your team's; for organizers all.")


class ProblemOut(Out):
    """An error or a warning about a submission."""

    kind: str
    says: str
    row: int | None
    is_error: bool


class ReceiptOut(Out):
    """The result of a submission, with every problem found."""

    submission: SubmissionOut
    left: int
    problems: list[ProblemOut]
    scores: dict[str, float | None] | None = Field(
        description="Only if the challenge shows teams their scores."
    )


class RankedOut(Out):
    """A team's system, or a human coder listed without a rank."""

    name: str
    rank: int | None
    ranks: tuple[int, int] | None = Field(description="Where the rank is in 95% of resamples.")
    is_person: bool
    is_own: bool
    attempts: int
    metrics: dict[str, MetricOut]


class RankingOut(Out):
    """The ranking by micro-F1."""

    documents: int
    codes: int
    rows: list[RankedOut]
    definitions: dict[str, str]
