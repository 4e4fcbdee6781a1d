"""What organizers do while a challenge runs: change its dates, and publish the ranking by hand."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from auscult.challenge.calendar import Calendar, CalendarDate
from auscult.challenge.challenge import Challenge
from auscult.challenge.errors import ChallengeError
from auscult.challenge.journal import EventKind, JournalEvent
from auscult.challenge.state import ChallengeAction, ChallengeState


def change_calendar(
    challenge: Challenge, changes: Mapping[CalendarDate, datetime | None], *, who: str
) -> Calendar:
    """Set dates, or leave them open (None). The journal records who changed which date, and
    when."""
    now = challenge.clock.now()
    if not changes:
        return challenge.state().calendar

    before = challenge.state().published

    def fits(events: list[JournalEvent]) -> None:
        state = ChallengeState.of(events, before)
        if state.published is not None:
            raise ChallengeError("The ranking is published, so the dates can no longer be changed.")
        state.calendar.changed(changes)  # an error when the dates are not in order

    dates = {date.value: None if at is None else at.isoformat() for date, at in changes.items()}
    challenge.journal.append(
        EventKind.CALENDAR, {"dates": dates}, who=who, moment=now, allowed=fits
    )
    return challenge.state().calendar


def publish(challenge: Challenge, *, who: str) -> None:
    """Publish the ranking now. This closes the challenge and cannot be undone."""
    now = challenge.clock.now()
    challenge.require(ChallengeAction.PUBLISH, now)
    challenge.journal.append(EventKind.PUBLICATION, {}, who=who, moment=now)
