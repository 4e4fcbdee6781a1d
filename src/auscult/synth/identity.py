"""What identifies people, in two spellings: MIMIC's mask, and the thing itself."""

from __future__ import annotations

import zlib
from datetime import date, datetime, timedelta

from auscult.synth.pieces import Secret

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def number_of(real: str, size: int = 9_000) -> int:
    """The number a mask carries: the same for the same name, and no clue to it."""
    return 1 + zlib.crc32(real.encode()) % size


def last_name(real: str) -> Secret:
    """The patient's surname."""
    return Secret(f"[**Known lastname {number_of(real)}**]", real, "NAME")


def first_name(real: str) -> Secret:
    """The patient's first name."""
    return Secret(f"[**Known firstname {number_of(real)}**]", real, "NAME")


def doctor(real: str) -> Secret:
    """A doctor's surname, after a title."""
    return Secret(f"[**Last Name (STitle) {number_of(real)}**]", real, "NAME")


def staff_first(real: str) -> Secret:
    """A doctor's or nurse's first name."""
    return Secret(f"[**First Name8 (NamePattern2) {number_of(real)}**]", real, "NAME")


def staff_last(real: str) -> Secret:
    """A doctor's or nurse's surname, after the first name."""
    return Secret(f"[**Last Name (NamePattern1) {number_of(real)}**]", real, "NAME")


def relative(real: str) -> Secret:
    """A relative's first name."""
    return Secret(f"[**Name (NI) {number_of(real)}**]", real, "NAME")


def hospital(real: str) -> Secret:
    """A hospital or nursing home."""
    return Secret(
        f"[**Hospital{1 + number_of(real) % 3} {number_of(real, 90)}**]", real, "HOSPITAL"
    )


def town(real: str) -> Secret:
    """A town."""
    return Secret(f"[**Location (un) {number_of(real, 900)}**]", real, "LOCATION")


def state(real: str) -> Secret:
    """A state."""
    return Secret(f"[**State {number_of(real, 900)}**]", real, "LOCATION")


def street(real: str) -> Secret:
    """House number and street."""
    return Secret(f"[**Street Address(2) {number_of(real, 900)}**]", real, "LOCATION")


def company(real: str) -> Secret:
    """An employer."""
    return Secret(f"[**Company {number_of(real, 900)}**]", real, "LOCATION")


def phone(real: str) -> Secret:
    """A telephone, fax or pager number."""
    return Secret(f"[**Telephone/Fax (1) {number_of(real)}**]", real, "PHONE")


def record_number(real: str) -> Secret:
    """A medical record number."""
    return Secret(f"[**Medical Record Number {number_of(real)}**]", real, "ID")


def identifier(real: str) -> Secret:
    """Some other number of a person or paper."""
    return Secret(f"[**Numeric Identifier {number_of(real)}**]", real, "ID")


def clip(real: str) -> Secret:
    """The number of a radiology film."""
    return Secret(f"[**Clip Number (Radiology) {number_of(real, 90_000)}**]", real, "ID")


def email(real: str) -> Secret:
    """An e-mail address."""
    return Secret(f"[**E-mail address {number_of(real)}**]", real, "EMAIL")


def age(years: int) -> str | Secret:
    """An age; over 89 it identifies."""
    return Secret("[**Age over 90 **]", str(years), "AGE") if years > 89 else str(years)


def day(when: date | datetime, shift: timedelta, style: str = "numeric") -> Secret:
    """A date, in the patient's own time behind the mask."""
    then = when - shift
    mask = f"[**{when.year}-{when.month}-{when.day}**]"
    if style == "us":
        real = f"{then.month:02d}/{then.day:02d}/{then.year}"
    elif style == "words":
        real = f"{_MONTHS[then.month - 1]} {then.day}, {then.year}"
    elif style == "short":
        mask = f"[**{when.month}-{when.day}**]"
        real = f"{then.month}/{then.day}"
    else:
        real = f"{then.year}-{then.month:02d}-{then.day:02d}"
    return Secret(mask, real, "DATE")


def year(when: date | datetime, shift: timedelta) -> Secret:
    """A year."""
    return Secret(f"[**{when.year}**]", str((when - shift).year), "DATE")


def month(when: date | datetime, shift: timedelta) -> Secret:
    """A month of a year."""
    then = when - shift
    return Secret(f"[**{when.year}-{when.month}**]", f"{then.month}/{then.year}", "DATE")
