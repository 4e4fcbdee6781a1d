"""Shared tasks: description, submissions, and the ranking."""

from __future__ import annotations

from pydantic import Field

from auscult.challenge.calendar import CalendarDate
from auscult.challenge.ledger import SubmissionStatus
from auscult.challenge.settings import Feedback, RankedSubmission, Track
from auscult.server.shapes.common import In, Out
from auscult.server.shapes.metrics import MetricOut


class ChallengeInList(Out):
    """A challenge that you may take part in."""

    name: str = Field(description="As it is in addresses.")
    title: str
    is_published: bool = Field(description="Whether it has ended, and its ranking shows.")
    closed: str | None = Field(description="Why nothing can be submitted now; null where it can.")


class DateOut(Out):
    """A date of the calendar."""

    date: CalendarDate
    says: str = Field(description="What happens on this date.")
    at: str | None = Field(description="With its time zone; null where it is open.")
    shown: str
    has_come: bool


class RefusedOut(Out):
    """Why something may not be done now, in a sentence; null where it may."""

    register_team: str | None
    training: str | None
    test: str | None
    submit: str | None
    describe: str | None
    publish: str | None


class FunnelRowOut(Out):
    """A step of the selection of the documents."""

    step: str
    by: str
    document: str
    removed: int
    left: int


class TeamOut(Out):
    """A team as organizers see it."""

    team: str
    is_registered: bool
    description: str | None


class ChangedDate(In):
    """A new date: ISO 8601 with a time zone, a time zone's name, or AoE; empty leaves it open."""

    date: CalendarDate
    at: str = Field("", max_length=60)


class ChangedCalendar(In):
    """Dates to change."""

    dates: list[ChangedDate] = Field(min_length=1, max_length=6)


class NamedTeam(In):
    """A team; organizers may name any, others their own."""

    team: str = Field("", max_length=60)


class Described(In):
    """A team's description of its system."""

    text: str = Field(min_length=1, max_length=20_000)
    team: str = Field("", max_length=60)


class SubmissionOut(Out):
    """A submission in the ledger."""

    number: int
    track: Track
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
    left: int = Field(description="Attempts that your team has left in the codes track.")
    tracks: list[Track]
    left_by_track: dict[str, int]
    calendar: list[DateOut]
    refused: RefusedOut
    needs_registration: bool
    is_registered: bool
    description: str | None = Field(description="Your team's description of its system.")
    teams: list[TeamOut] = Field(description="For organizers only.")
    funnel: list[FunnelRowOut] = Field(description="For organizers; for teams once published.")
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
    replaces: SubmissionOut | None = Field(
        description="The submission that was ranked before, if this one replaces it."
    )
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


class DescriptionOut(Out):
    """A team's description of its system."""

    team: str
    text: str


class RankingOut(Out):
    """The ranking: of codes by micro-F1, of evidence by token F1."""

    track: Track
    documents: int
    codes: int = Field(description="Distinct gold codes; in the evidence track, gold spans.")
    descriptions: list[DescriptionOut]
    rows: list[RankedOut]
    definitions: dict[str, str]
