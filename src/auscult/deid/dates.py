"""Dates as people write them: what one says, and the same one on another day in the same writing.

`3/14/2149`, `03-14-49`, `2149-03-14`, `March 14th, 2149`, `14-Mar`, `Tuesday 3/14`, `14 de marzo`,
`3/2149`, `March`, `2149` and `the 14th` are all read and written. What is not written down (the
year of `3/14`, the month of `the 14th`) is taken from the time of the note: the nearest day that
fits. A month or a year on its own stands for its middle.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache

from auscult.deid.ages import capped

_ENGLISH = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_SPANISH = (
    "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
    "octubre", "noviembre", "diciembre",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SHORT_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

MONTH_WORDS = frozenset(
    word.lower()
    for name in (*_ENGLISH, *_SPANISH)
    for word in ((name,) if name in _SPANISH else (name, name[:3], "Sept"))
)
MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?"
    r"|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)"
)
WEEKDAY = r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|Sat|Sun)"
_YEAR = r"(?P<Y>\d{4}|'?\d{2})"
_DAY = r"(?P<D>\d{1,2})(?P<o>st|nd|rd|th)?"
_FORMS = tuple(
    re.compile(rf"(?:(?P<W>{WEEKDAY})\.?,?\s+)?(?:{form})", re.IGNORECASE)
    for form in (
        r"(?P<Y>\d{4})(?P<s>[-/.])(?P<M>\d{1,2})(?P=s)(?P<D>\d{1,2})",
        r"(?P<M>\d{1,2})(?P<s>[-/.])(?P<D>\d{1,2})(?P=s)(?P<Y>\d{4}|\d{2})",
        r"(?P<M>\d{1,2})[-/.](?P<Y>\d{4})",
        r"(?P<M>\d{1,2})[-/.](?P<D>\d{1,2})",
        rf"(?P<N>{MONTH})\.?[\s/-]+{_DAY}(?:(?:,\s*|\s+|[/-])(?:of\s+)?{_YEAR})?",
        rf"(?:the\s+)?{_DAY}(?:\s+of)?(?:\s+de)?[\s/-]*(?P<N>{MONTH})\.?"
        rf"(?:(?:,\s*|\s+|[/-])(?:of\s+|del?\s+)?{_YEAR})?",
        rf"(?P<N>{MONTH})\.?(?:,\s*|\s+|[/-])(?:of\s+|del?\s+)?(?P<Y>\d{{4}}|'\d\d)",
        rf"(?P<N>{MONTH})\.?",
        r"(?P<Y>\d{4})",
        r"(?:the\s+)?(?P<D>\d{1,2})(?P<o>st|nd|rd|th)",
    )
)


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date in someone's writing. `year`, `month`, `day` are None where nothing is written."""

    words: str = field(repr=False)
    year: int | None
    month: int | None
    day: int | None
    year_digits: int
    ranges: dict[str, tuple[int, int]] = field(repr=False)

    def on(self, near: date | None) -> date:
        """The day that is meant, when it was written about the day `near`.

        >>> read_date("12/30").on(date(2003, 1, 2))
        datetime.date(2002, 12, 30)
        """
        near = near or date(2001, 7, 2)
        year, month, day = self.year, self.month, self.day
        if year is not None and self.year_digits == 2:
            # Of the years that end so, the last that is not in the future of the note.
            century = near.year - near.year % 100
            year += century if year + century <= near.year + 1 else century - 100
        if year is not None:
            if month is None:
                return date(year, 7, 2)
            return date(year, month, 15 if day is None else day)
        if month is not None:
            around = [
                _clamped(near.year + by, month, 15 if day is None else day) for by in (-1, 0, 1)
            ]
        else:
            around = [
                _clamped(*_month_after(near, by), day or 1, exactly=True) for by in (-1, 0, 1)
            ]
        fitting = [one for one in around if one is not None]
        return min(fitting, key=lambda one: (abs(one - near), one))

    def written(self, then: date) -> str:
        """Another day in the same writing."""
        pieces: list[str] = []
        at = 0
        for unit, (begin, end) in sorted(self.ranges.items(), key=lambda item: item[1]):
            old = self.words[begin:end]
            pieces += (self.words[at:begin], self._unit(unit, old, then))
            at = end
        return "".join((*pieces, self.words[at:]))

    def _unit(self, unit: str, old: str, then: date) -> str:
        if unit == "Y":
            return old[: -self.year_digits] + f"{then.year:04d}"[-self.year_digits :]
        if unit == "M":
            return f"{then.month:02d}" if self._padded(old) else str(then.month)
        if unit == "D":
            return f"{then.day:02d}" if self._padded(old) else str(then.day)
        if unit == "o":
            return _cased(_ordinal(then.day), old)
        if unit == "N":
            return _month_like(old, then.month)
        return _weekday_like(old, then.weekday())

    def _padded(self, old: str) -> bool:
        numbers = [self.words[b:e] for unit, (b, e) in self.ranges.items() if unit in "MD"]
        if any(number.startswith("0") for number in numbers):
            return True
        if any(len(number) == 1 for number in numbers) or "N" in self.ranges:
            return False
        return "Y" in self.ranges  # 12/14 may become 3/9; 12/14/2149 becomes 03/09/2149


@lru_cache(maxsize=4096)
def read_date(words: str, *, day_first: bool = False) -> WrittenDate | None:
    """What a written date says, or None when it is no date or there is no such day.

    >>> read_date("March 14th, 2149").written(date(2150, 2, 1))
    'February 1st, 2150'
    >>> read_date("2/30/2020") is None
    True
    """
    for form in _FORMS:
        found = form.fullmatch(words)
        if found is not None:
            return _read(found, day_first)
    return None


def shifted(
    words: str,
    by: timedelta,
    near: date | None,
    *,
    day_first: bool = False,
    latest: date | None = None,
) -> str | None:
    """A written date moved by so many days, in the same writing; None when there is no such day.

    A day of the month on its own is read as near `near`, the day of the note before it is moved.
    A year that makes someone over 89 on the day `latest` makes them 90.

    >>> shifted("12/30", timedelta(days=5), date(2003, 1, 2))
    '1/4'
    """
    read = read_date(words, day_first=day_first)
    if read is None:
        return None
    try:
        day = read.on(near)
        return read.written((day if read.year is None else capped(day, latest)) + by)
    except (OverflowError, ValueError):
        return None


def _read(found: re.Match[str], day_first: bool) -> WrittenDate | None:
    begin = found.start()
    ranges = {
        unit: (first - begin, last - begin)
        for unit in found.groupdict()
        if unit != "s" and (first := found.start(unit)) >= 0 and (last := found.end(unit)) >= 0
    }
    said = found.groupdict()
    month = None
    day = int(said["D"]) if said.get("D") else None
    if said.get("N"):
        month = _month_number(said["N"])
    elif said.get("M"):
        month = int(said["M"])
        if day is not None and "o" not in ranges and said.get("Y", "") != found[0][:4]:
            swap = month > 12 >= day or (day_first and day <= 12)
            if swap:
                month, day = day, month
                ranges["M"], ranges["D"] = ranges["D"], ranges["M"]
    year = said.get("Y")
    if not _is_possible(None if year is None else int(year.lstrip("'")), month, day):
        return None
    return WrittenDate(
        found[0],
        None if year is None else int(year.lstrip("'")),
        month,
        day,
        0 if year is None else len(year.lstrip("'")),
        ranges,
    )


def _is_possible(year: int | None, month: int | None, day: int | None) -> bool:
    if month is not None and not 1 <= month <= 12:
        return False
    if year is not None and year < 1 and month is None:
        return False
    if day is None:
        return True
    if month is None:
        return 1 <= day <= 31
    leap = year is None or calendar.isleap(year)  # of two digits: 00 is taken for 2000
    longest = 29 if month == 2 and leap else calendar.monthrange(2001, month)[1]
    return 1 <= day <= longest


def _clamped(year: int, month: int, day: int, *, exactly: bool = False) -> date | None:
    last = calendar.monthrange(year, month)[1]
    if day > last and exactly:
        return None
    return date(year, month, min(day, last))


def _month_after(near: date, by: int) -> tuple[int, int]:
    number = near.year * 12 + near.month - 1 + by
    return number // 12, number % 12 + 1


def _month_number(name: str) -> int:
    lower = name.lower()
    for months in (_ENGLISH, _SPANISH):
        for number, month in enumerate(months, 1):
            if month.lower() == lower:
                return number
    return next(n for n, month in enumerate(_ENGLISH, 1) if month.lower().startswith(lower[:3]))


def _month_like(old: str, month: int) -> str:
    lower = old.lower()
    if lower in _SPANISH:
        return _cased(_SPANISH[month - 1], old)
    name = _ENGLISH[month - 1]
    # "May" may be short or long; what is longer than three letters and no abbreviation is long.
    is_short = (len(old) == 3 and lower != "may") or lower == "sept"
    return _cased(name[:3] if is_short else name, old)


def _weekday_like(old: str, weekday: int) -> str:
    return _cased(_DAYS[weekday] if old.lower().endswith("day") else _SHORT_DAYS[weekday], old)


def _cased(new: str, old: str) -> str:
    change: Callable[[str], str] = str.title
    if old.isupper():
        change = str.upper
    elif old.islower():
        change = str.lower
    return change(new)


def _ordinal(day: int) -> str:
    if 10 < day < 14:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
