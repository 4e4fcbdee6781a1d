"""Remove PHI from one cell of a record or one meta value."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from auscult.deid.ages import OLDEST, capped
from auscult.deid.columns import ColumnContent, column_content
from auscult.deid.date_shift import is_iso
from auscult.deid.dates import shifted
from auscult.deid.lexicon import states
from auscult.deid.phi_span import PhiKind, PhiPart, PhiSpan
from auscult.deid.surrogates import Surrogates

_LONG = 1_000_000
"""Numbers of at least this size may be telephone or record numbers."""
_AGE = re.compile(r"(?<![\d.])(?:9\d|1[0-2]\d)(?:\.\d+)?(?!\d)")
_NOTHING = ColumnContent()


@dataclass(frozen=True, slots=True)
class RecordCells:
    """Cells of one patient's records: `free` is what becomes of a free text."""

    surrogates: Surrogates
    free: Callable[[str, date | None, Surrogates], str]
    near: date | None = None

    def scrubbed(self, column: str, value: object) -> object:
        """The value without its secret, of the same type."""
        told = column_content(column) or _NOTHING
        if isinstance(value, datetime):
            day = self._moved(value.date())
            return None if day is None else datetime.combine(day, value.timetz())
        if isinstance(value, date):
            return self._moved(value)
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, str):
            return self.text(value, told)
        if isinstance(value, int):
            return self._whole(value, told)
        if isinstance(value, float):
            if told.is_age:
                return min(value, float(OLDEST))
            return float(self._whole(int(value), told)) if value.is_integer() else value
        if isinstance(value, list):
            return [self.scrubbed(column, one) for one in value]
        if isinstance(value, dict):
            return {name: self.scrubbed(name, one) for name, one in value.items()}
        return value if isinstance(value, timedelta) else None

    def text(self, value: str, told: ColumnContent | None = None) -> str:
        """A written value."""
        told = told or _NOTHING
        if is_iso(value):
            return self._iso(value)
        if told.is_age:
            return _AGE.sub("90+", value)
        if told.is_year and value.isdigit():
            return str(self._whole(int(value), told))
        if told.is_day:
            moved = shifted(value, self.surrogates.offset, self.near, latest=self.surrogates.latest)
            if moved is not None:
                return moved
        if told.kind is PhiKind.NAME:
            return self._name(value, told.part)
        if told.kind is not None and _is_one(value, told):
            return self.surrogates.replaced(PhiSpan(0, 1, told.kind, told.part), value, self.near)
        return self.free(value, self.near, self.surrogates)

    def _iso(self, value: str) -> str:
        try:
            day = self._moved(date.fromisoformat(value[:10]))
        except ValueError:
            day = None
        return "[date]" if day is None else day.isoformat() + value[10:]

    def _moved(self, day: date) -> date | None:
        try:
            return capped(day, self.surrogates.latest or self.near) + self.surrogates.offset
        except OverflowError:
            return None

    def _whole(self, value: int, told: ColumnContent) -> int:
        if told.is_age:
            return min(value, OLDEST)
        if told.is_year and 1000 <= value <= 9000:
            day = self._moved(date(value, 7, 2))
            return 0 if day is None else day.year
        if told.is_day and _is_day(value):
            day = self._moved(datetime.strptime(str(value), "%Y%m%d").date())
            return 0 if day is None else int(f"{day:%Y%m%d}")
        if told.is_code:
            return value
        if told.kind is not None or abs(value) >= _LONG:
            found = PhiSpan(0, 1, told.kind or PhiKind.ID, told.part)
            digits = re.sub(r"\D", "", self.surrogates.replaced(found, str(value), self.near))
            return int(digits or 0)
        return value

    def _name(self, value: str, part: PhiPart) -> str:
        words = value.replace(",", " ").split()
        last = 0 if "," in value else len(words) - 1
        return " ".join(
            self.surrogates.replaced(
                PhiSpan(
                    0, 1, PhiKind.NAME, part or (PhiPart.SURNAME if at == last else PhiPart.GIVEN)
                ),
                word,
                self.near,
            )
            for at, word in enumerate(words)
        )


def _is_one(value: str, told: ColumnContent) -> bool:
    """Whether a value can be what its column is said to hold: an insurance may be Medicare."""
    if told.part is PhiPart.STATE:
        return value in states() or value in states().values()
    wanted = str.isdigit if told.kind in (PhiKind.ID, PhiKind.PHONE) else str.isalnum
    return any(map(wanted, value))


def _is_day(value: int) -> bool:
    try:
        datetime.strptime(str(value), "%Y%m%d")
    except ValueError:
        return False
    return 18_000_101 <= value <= 90_001_231
