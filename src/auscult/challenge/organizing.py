"""What organizers do while a challenge runs: change its dates, and publish the ranking by hand."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from auscult.challenge.calendar import Calendar, CalendarDate
from auscult.challenge.challenge import Challenge
from auscult.challenge.errors import ChallengeError
from auscult.challenge.journal import EventKind
from auscult.challenge.state import ChallengeAction, ChallengeState, require_allowed


def change_calendar(
    challenge: Challenge, changes: Mapping[CalendarDate, datetime | None], *, who: str
) -> Calendar:
    """Set dates, or leave them open (None). The journal records who changed which date, and
    when."""
    now = challenge.clock.now()
    if not changes:
        return challenge.state().calendar

    def fits(state: ChallengeState) -> bool:
        if state.is_published(now):
            raise ChallengeError("The ranking is published, so the dates can no longer be changed.")
        state.calendar.changed(changes)  # an error when the dates are not in order
        return True

    dates = {date.value: None if at is None else at.isoformat() for date, at in changes.items()}
    challenge.record(EventKind.CALENDAR, {"dates": dates}, who=who, moment=now, allowed=fits)
    return challenge.state().calendar


def publish(challenge: Challenge, *, who: str) -> None:
    """Publish the ranking now. This closes the challenge and cannot be undone."""
    now = challenge.clock.now()

    def is_time(state: ChallengeState) -> bool:
        require_allowed(state, ChallengeAction.PUBLISH, now)
        return True

    challenge.record(EventKind.PUBLICATION, {}, who=who, moment=now, allowed=is_time)
