"""The state of a challenge, and the one function that says what its calendar refuses.

The command line and the server both ask it, so that neither takes what the other would not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from auscult.challenge.calendar import Calendar, CalendarDate, shown_moment
from auscult.challenge.errors import CalendarError
from auscult.challenge.journal import EventKind, JournalEvent
from auscult.challenge.ledger import team_key


class ChallengeAction(StrEnum):
    """What has its time in a challenge."""

    REGISTER = "register"
    TRAINING = "training"
    """Take the training documents."""
    TEST = "test"
    """Take the test documents."""
    SUBMIT = "submit"
    DESCRIBE = "describe"
    """Send the description of a system."""
    RANKING = "ranking"
    """See the ranking, as a team."""
    PUBLISH = "publish"
    """Publish the ranking by hand."""


@dataclass(frozen=True, slots=True)
class SystemDescription:
    """A team's description of its system; the last that it sent."""

    team: str
    text: str = field(repr=False)
    time: datetime
    number: int = 1
    """How many it has sent, with those that this one replaced."""


@dataclass(frozen=True, slots=True)
class ChallengeState:
    """What the journal of a challenge comes to."""

    calendar: Calendar = field(default_factory=Calendar)
    teams: Mapping[str, str] = field(default_factory=dict)
    """Registered teams: the key of the name, and the name."""
    descriptions: Mapping[str, SystemDescription] = field(default_factory=dict)
    """By the key of the team."""
    published: datetime | None = None
    """When the ranking was published by hand."""

    @classmethod
    def of(
        cls, events: Iterable[JournalEvent], published: datetime | None = None
    ) -> ChallengeState:
        """The state after some events."""
        calendar, teams = Calendar(), dict[str, str]()
        descriptions: dict[str, SystemDescription] = {}
        for event in events:
            said = event.content
            if event.kind is EventKind.CALENDAR:
                moments = {
                    CalendarDate(name): None if at is None else datetime.fromisoformat(at)
                    for name, at in said["dates"].items()
                }
                calendar = calendar.changed(moments)
            elif event.kind is EventKind.REGISTRATION:
                teams[team_key(said["team"])] = said["team"]
            elif event.kind is EventKind.DESCRIPTION:
                team, key = said["team"], team_key(said["team"])
                number = event.times + (descriptions[key].number if key in descriptions else 0)
                descriptions[key] = SystemDescription(team, said["text"], event.time, number)
            elif published is None:
                published = event.time
        return cls(calendar, teams, descriptions, published)

    @property
    def needs_registration(self) -> bool:
        """Whether only registered teams take part: so it is once registration has a date."""
        dates = self.calendar.dates
        return CalendarDate.REGISTRATION in dates or CalendarDate.REGISTRATION_END in dates

    def is_registered(self, team: str) -> bool:
        """Whether a team may take part as far as registration goes."""
        return not self.needs_registration or team_key(team) in self.teams

    def is_published(self, now: datetime) -> bool:
        """Whether the ranking is for all to see, and nothing is taken any more."""
        # By hand there is no before: what arrived earlier and was not yet taken is too late.
        return self.published is not None or self.calendar.has_come(CalendarDate.PUBLICATION, now)


def refusal(state: ChallengeState, action: ChallengeAction, now: datetime) -> str | None:
    """Why something may not be done at a moment, in one sentence; None if it may.

    >>> state = ChallengeState(Calendar.of({"closing": "2027-03-18T23:59Z"}))
    >>> late = datetime.fromisoformat("2027-03-19T00:00Z")
    >>> refusal(state, ChallengeAction.SUBMIT, late)
    'Submissions closed on 2027-03-18 23:59 UTC.'
    >>> refusal(state, ChallengeAction.TRAINING, late) is None
    True
    """
    if action is ChallengeAction.RANKING:
        if state.is_published(now):
            return None
        if CalendarDate.PUBLICATION in state.calendar.dates:
            return f"The ranking is published on {state.calendar.shown(CalendarDate.PUBLICATION)}."
        return "The ranking appears once the organizers publish it."
    if action is ChallengeAction.PUBLISH:
        return _why_not_publish(state, now)
    opening, ending = _BETWEEN[action]
    why = _why_early(state.calendar, opening, now)
    if why is not None or not ending:
        return why
    return _why_late(state, ending, now)


def require_allowed(state: ChallengeState, action: ChallengeAction, now: datetime) -> None:
    """An error if the calendar does not allow something at a moment."""
    why = refusal(state, action, now)
    if why is not None:
        raise CalendarError(why)


_DATE = CalendarDate
_BETWEEN = {
    ChallengeAction.REGISTER: (_DATE.REGISTRATION, (_DATE.REGISTRATION_END, _DATE.CLOSING)),
    ChallengeAction.TRAINING: (_DATE.TRAINING, ()),
    ChallengeAction.TEST: (_DATE.TEST, ()),
    ChallengeAction.SUBMIT: (_DATE.TEST, (_DATE.CLOSING,)),
    ChallengeAction.DESCRIBE: (_DATE.REGISTRATION, (_DATE.CLOSING,)),
}
"""The date that something waits for, and those that end it."""
_BEGINS = {
    CalendarDate.REGISTRATION: "Registration opens",
    CalendarDate.TRAINING: "The training documents are released",
    CalendarDate.TEST: "The test documents are released, and submissions open,",
}
_ENDED = {
    CalendarDate.REGISTRATION_END: "Registration ended",
    CalendarDate.CLOSING: "Submissions closed",
}


def _why_early(calendar: Calendar, date: CalendarDate, now: datetime) -> str | None:
    if calendar.has_come(date, now):
        return None
    if date in calendar.dates:
        return f"{_BEGINS[date]} on {calendar.shown(date)}."
    return f"{_BEGINS[date]} on a date that is still to be announced."


def _why_late(state: ChallengeState, ending: tuple[CalendarDate, ...], now: datetime) -> str | None:
    for date in ending:
        if state.calendar.has_come(date, now):
            return f"{_ENDED[date]} on {state.calendar.shown(date)}."
    if state.is_published(now):
        return "The ranking is published: the challenge is closed to submissions."
    return None


def _why_not_publish(state: ChallengeState, now: datetime) -> str | None:
    if state.is_published(now):
        return "The ranking is already published."
    for date in (CalendarDate.CLOSING, CalendarDate.PUBLICATION):
        if date in state.calendar.dates and not state.calendar.has_come(date, now):
            return (
                f"By the calendar, {date.says} on {shown_moment(state.calendar.dates[date])}; to "
                f"publish earlier, change the date {date} first."
            )
    return None
