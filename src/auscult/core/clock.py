"""A clock that can be replaced: code that decides by a date is given one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime


def _system() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    """Tells the time, with its time zone; by default that of this machine.

    >>> noon = datetime(2027, 3, 18, 12, tzinfo=UTC)
    >>> Clock(lambda: noon).now() == noon
    True
    """

    read: Callable[[], datetime] = _system

    def now(self) -> datetime:
        """The moment, in UTC."""
        return self.read().astimezone(UTC)
