"""What goes wrong with a challenge."""

from __future__ import annotations

from auscult.core import AuscultError


class ChallengeError(AuscultError):
    """A challenge that is missing or damaged, or a submission it cannot take."""


class CalendarError(ChallengeError):
    """Something that is too early or too late by the calendar, or open to others only."""
