"""Date shifting: one random offset in days for all dates of a patient."""

from __future__ import annotations

import hashlib
import hmac
import re
from datetime import date, datetime, timedelta

from auscult.core import OptionError

_FURTHEST = 1_825
"""Maximum shift in days: five years in either direction."""
_NEAREST = 30
_YEARS = 5
_YEAR = 365.25
_SALT = b"auscult de-identification"
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?")


class KeyedRandom:
    """Pseudorandom numbers derived from a secret seed and a name.

    The same secret and name give the same number whatever else is drawn, so that a patient's
    replacements do not depend on who else is in the corpus.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    @classmethod
    def of(cls, seed: str) -> KeyedRandom:
        """From a seed that a person chose: scrypt makes guessing at it slow."""
        return cls(hashlib.scrypt(seed.encode(), salt=_SALT, n=2**14, r=8, p=1, dklen=32))

    def number(self, size: int, *name: str) -> int:
        """A number from 0 up to but not including `size`."""
        written = "\0".join(name).encode("utf-8", "surrogatepass")
        digest = hmac.digest(self._secret, written, "sha256")
        return int.from_bytes(digest[:16], "big") % size

    def letters(self, *name: str) -> str:
        """Sixteen hexadecimal digits."""
        return f"{self.number(1 << 64, *name):016x}"


def draw_offset(
    chance: KeyedRandom, patient: str, *, keep_weekday: bool = False, keep_season: bool = False
) -> timedelta:
    """How far this patient's dates move: at least a month, at most about five years, either way.

    With `keep_weekday` it is a multiple of seven days, with `keep_season` within three days of
    whole years.
    """
    direction = 1 if chance.number(2, "direction", patient) else -1
    if keep_season:
        days = round((1 + chance.number(_YEARS, "years", patient)) * _YEAR)
        if keep_weekday:
            days = round(days / 7) * 7
    elif keep_weekday:
        first = -(-_NEAREST // 7)
        days = 7 * (first + chance.number(_FURTHEST // 7 - first + 1, "weeks", patient))
    else:
        days = _NEAREST + chance.number(_FURTHEST - _NEAREST + 1, "days", patient)
    return timedelta(days=direction * days)


def is_iso(value: str) -> bool:
    """Whether a value is an ISO date, with a time or not, and nothing else."""
    return _ISO.fullmatch(value) is not None


def shift_iso(value: str, by: timedelta) -> str:
    """An ISO date or date and time moved, as exact as it was.

    >>> shift_iso("2149-02-28T08:05", timedelta(days=1))
    '2149-03-01T08:05'
    """
    try:
        return (date.fromisoformat(value[:10]) + by).isoformat() + value[10:]
    except (ValueError, OverflowError) as error:
        raise OptionError(
            "The time of a note is not an ISO date such as 2149-03-14 or 2149-03-14T08:05, so "
            "it cannot be shifted. Find such notes with: auscult corpus doctor CORPUS"
        ) from error


def day_of(value: str | None) -> date | None:
    """The day of an ISO date or date and time, None when it is none."""
    if value is None or not is_iso(value):
        return None
    try:
        return datetime.fromisoformat(value[:10]).date()
    except ValueError:
        return None
