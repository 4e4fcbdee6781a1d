"""Cap ages over 89, and the matching birth dates."""

from __future__ import annotations

import calendar
from datetime import date

OLDEST = 90
"""The replacement of an age over 89."""


def capped(day: date, latest: date | None) -> date:
    """The day, or one of the same month 90 years before `latest` when it is further back.

    A day of birth tells an age as well as the age itself does.

    >>> capped(date(1928, 3, 4), date(2024, 1, 9)), capped(date(1940, 3, 4), date(2024, 1, 9))
    (datetime.date(1933, 3, 4), datetime.date(1940, 3, 4))
    """
    if latest is None:
        return day
    years = latest.year - day.year - ((latest.month, latest.day) < (day.month, day.day))
    if years <= OLDEST:
        return day
    year = day.year + years - OLDEST
    return date(year, day.month, min(day.day, calendar.monthrange(year, day.month)[1]))
