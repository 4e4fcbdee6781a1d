"""The dates of a challenge, each a moment with its time zone, or left open."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from itertools import pairwise
from zoneinfo import ZoneInfo

from auscult.core import OptionError


class CalendarDate(StrEnum):
    """The dates, in their order."""

    REGISTRATION = "registration"
    REGISTRATION_END = "registration-end"
    TRAINING = "training"
    TEST = "test"
    CLOSING = "closing"
    PUBLICATION = "publication"

    @property
    def says(self) -> str:
        """What comes with it."""
        return _SAYS[self]


_SAYS = {
    CalendarDate.REGISTRATION: "registration opens",
    CalendarDate.REGISTRATION_END: "registration ends",
    CalendarDate.TRAINING: "training documents are released",
    CalendarDate.TEST: "test documents are released, submissions open",
    CalendarDate.CLOSING: "submissions close",
    CalendarDate.PUBLICATION: "the ranking is published",
}
_OPENING = (CalendarDate.REGISTRATION, CalendarDate.TRAINING, CalendarDate.TEST)
"""Without its date, a step that something waits for; the others only end what has begun."""
_MUST_FOLLOW = (
    (CalendarDate.REGISTRATION, CalendarDate.REGISTRATION_END, CalendarDate.CLOSING),
    (CalendarDate.REGISTRATION, CalendarDate.TRAINING, CalendarDate.TEST, CalendarDate.CLOSING,
     CalendarDate.PUBLICATION),
)  # fmt: skip
_NAMED = re.compile(r"(?P<time>.*?\d)\s*(?P<zone>[A-Za-z][A-Za-z_+\-]*(/[A-Za-z0-9_+\-/]+)?)")
_AOE = timezone(timedelta(hours=-12))
_EXAMPLE = "2027-03-18T23:59+01:00, 2027-03-18 23:59 Europe/Berlin or 2027-03-18 23:59 AoE"


@dataclass(frozen=True, slots=True)
class Calendar:
    """The dates that are set. Without any, the challenge has no time limits.

    Each date takes effect at the exact time given: what arrives at the closing date is late. An
    open date that follows a set opening date is still to be announced, so its step has not begun.
    An open date that precedes all set dates sets no limit.

    >>> said = Calendar.of({"training": "2027-02-01T00:00Z", "closing": "2027-03-18T00:00Z"})
    >>> said.has_come(CalendarDate.TEST, datetime(2027, 3, 1, tzinfo=UTC))  # to be announced
    False
    >>> said.has_come(CalendarDate.REGISTRATION, datetime(2027, 1, 1, tzinfo=UTC))  # no limit
    True
    """

    dates: Mapping[CalendarDate, datetime] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for date, at in self.dates.items():
            if at.tzinfo is None:
                raise OptionError(f"The date {date} has no time zone. Set tzinfo, such as UTC.")
        for order in _MUST_FOLLOW:
            listed = [date for date in order if date in self.dates]
            for one, other in pairwise(listed):
                if self.dates[other] < self.dates[one]:
                    raise OptionError(
                        f"The date {other} ({self.shown(other)}) must not be before {one} "
                        f"({self.shown(one)})."
                    )

    @classmethod
    def of(cls, written: Mapping[str, str]) -> Calendar:
        """The calendar of dates as people write them."""
        return cls({CalendarDate(name): read_moment(value) for name, value in written.items()})

    def changed(self, changes: Mapping[CalendarDate, datetime | None]) -> Calendar:
        """The calendar with some dates set, and others left open (None)."""
        dates = {**self.dates, **changes}
        return Calendar({date: at for date in CalendarDate if (at := dates.get(date)) is not None})

    def has_come(self, date: CalendarDate, now: datetime) -> bool:
        """Whether a date has come."""
        if date in self.dates:
            return self.dates[date] <= now
        return date in _OPENING and not self.is_announced_later(date)

    def is_announced_later(self, date: CalendarDate) -> bool:
        """Whether a date is open although one before it is set, so that it must be waited for."""
        if date in self.dates or date not in _OPENING:
            return False
        return any(one in self.dates for one in _OPENING[: _OPENING.index(date)])

    def shown(self, date: CalendarDate) -> str:
        """A date as it was set, in its own time zone, or that it is open."""
        if date in self.dates:
            return shown_moment(self.dates[date])
        return "to be announced" if self.is_announced_later(date) else "open"

    def to_dict(self) -> dict[str, str | None]:
        """For JSON: every date, None where it is open."""
        found = {date.value: self.dates.get(date) for date in CalendarDate}
        return {name: None if at is None else at.isoformat() for name, at in found.items()}


def shown_moment(moment: datetime) -> str:
    """A moment for people, with its time zone.

    >>> shown_moment(read_moment("2027-03-18 23:59 AoE"))
    '2027-03-18 23:59 UTC-12:00'
    """
    return f"{moment:%Y-%m-%d %H:%M} {moment.tzinfo or UTC}"


def read_moment(written: str) -> datetime:
    """A date and time with its time zone: an offset, a name such as Europe/Berlin, or AoE
    (anywhere on earth, UTC−12).

    >>> read_moment("2027-03-18T23:59Z").isoformat()
    '2027-03-18T23:59:00+00:00'
    """
    try:
        moment = _moment(written.strip())
    except (ValueError, OSError, LookupError):
        raise OptionError(
            f"Expected a date and time with a time zone, such as {_EXAMPLE}; got {written!r}."
        ) from None
    offset = moment.utcoffset()
    if offset is None or ":" not in written:
        lacks = "time of day" if ":" not in written else "time zone"
        raise OptionError(f"{written!r} has no {lacks}. Add it, as in {_EXAMPLE}.")
    # The offset, not the name: a calendar must not move when a country changes its summer time.
    return moment.replace(tzinfo=timezone(offset))


def _moment(text: str) -> datetime:
    named = _NAMED.fullmatch(text)
    if named is None or named["zone"] in ("Z", "z"):
        return datetime.fromisoformat(text)
    zone = _AOE if named["zone"].upper() == "AOE" else ZoneInfo(named["zone"])
    moment = datetime.fromisoformat(named["time"])
    if moment.tzinfo is not None:
        raise ValueError(text)  # two time zones
    return moment.replace(tzinfo=zone)
