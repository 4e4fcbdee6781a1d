"""Identifiers of people in two forms: MIMIC's mask, and the surrogate value."""

from __future__ import annotations

import zlib
from datetime import date, datetime, timedelta

from auscult.synth.note_parts import HiddenIdentifier

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def number_of(real: str, size: int = 9_000) -> int:
    """The number a mask carries: the same for the same name, and no clue to it."""
    return 1 + zlib.crc32(real.encode()) % size


def last_name(real: str) -> HiddenIdentifier:
    """The patient's surname."""
    return HiddenIdentifier(f"[**Known lastname {number_of(real)}**]", real, "NAME")


def first_name(real: str) -> HiddenIdentifier:
    """The patient's first name."""
    return HiddenIdentifier(f"[**Known firstname {number_of(real)}**]", real, "NAME")


def doctor(real: str) -> HiddenIdentifier:
    """A doctor's surname, after a title."""
    return HiddenIdentifier(f"[**Last Name (STitle) {number_of(real)}**]", real, "NAME")


def staff_first(real: str) -> HiddenIdentifier:
    """A doctor's or nurse's first name."""
    return HiddenIdentifier(f"[**First Name8 (NamePattern2) {number_of(real)}**]", real, "NAME")


def staff_last(real: str) -> HiddenIdentifier:
    """A doctor's or nurse's surname, after the first name."""
    return HiddenIdentifier(f"[**Last Name (NamePattern1) {number_of(real)}**]", real, "NAME")


def relative(real: str) -> HiddenIdentifier:
    """A relative's first name."""
    return HiddenIdentifier(f"[**Name (NI) {number_of(real)}**]", real, "NAME")


def hospital(real: str) -> HiddenIdentifier:
    """A hospital or nursing home."""
    return HiddenIdentifier(
        f"[**Hospital{1 + number_of(real) % 3} {number_of(real, 90)}**]", real, "HOSPITAL"
    )


def town(real: str) -> HiddenIdentifier:
    """A town."""
    return HiddenIdentifier(f"[**Location (un) {number_of(real, 900)}**]", real, "LOCATION")


def state(real: str) -> HiddenIdentifier:
    """A state."""
    return HiddenIdentifier(f"[**State {number_of(real, 900)}**]", real, "LOCATION")


def street(real: str) -> HiddenIdentifier:
    """House number and street."""
    return HiddenIdentifier(f"[**Street Address(2) {number_of(real, 900)}**]", real, "LOCATION")


def company(real: str) -> HiddenIdentifier:
    """An employer."""
    return HiddenIdentifier(f"[**Company {number_of(real, 900)}**]", real, "LOCATION")


def phone(real: str) -> HiddenIdentifier:
    """A telephone, fax or pager number."""
    return HiddenIdentifier(f"[**Telephone/Fax (1) {number_of(real)}**]", real, "PHONE")


def record_number(real: str) -> HiddenIdentifier:
    """A medical record number."""
    return HiddenIdentifier(f"[**Medical Record Number {number_of(real)}**]", real, "ID")


def identifier(real: str) -> HiddenIdentifier:
    """Some other number of a person or paper."""
    return HiddenIdentifier(f"[**Numeric Identifier {number_of(real)}**]", real, "ID")


def clip(real: str) -> HiddenIdentifier:
    """The number of a radiology film."""
    return HiddenIdentifier(f"[**Clip Number (Radiology) {number_of(real, 90_000)}**]", real, "ID")


def email(real: str) -> HiddenIdentifier:
    """An e-mail address."""
    return HiddenIdentifier(f"[**E-mail address {number_of(real)}**]", real, "EMAIL")


def age(years: int) -> str | HiddenIdentifier:
    """An age; over 89 it identifies."""
    return HiddenIdentifier("[**Age over 90 **]", str(years), "AGE") if years > 89 else str(years)


def day(when: date | datetime, shift: timedelta, style: str = "numeric") -> HiddenIdentifier:
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
    return HiddenIdentifier(mask, real, "DATE")


def year(when: date | datetime, shift: timedelta) -> HiddenIdentifier:
    """A year."""
    return HiddenIdentifier(f"[**{when.year}**]", str((when - shift).year), "DATE")


def month(when: date | datetime, shift: timedelta) -> HiddenIdentifier:
    """A month of a year."""
    then = when - shift
    return HiddenIdentifier(f"[**{when.year}-{when.month}**]", f"{then.month}/{then.year}", "DATE")
