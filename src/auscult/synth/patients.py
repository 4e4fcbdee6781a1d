"""The patients. Patient k is the same person in a hospital of ten and of ten thousand."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from auscult.synth import names
from auscult.synth.random_draws import RandomDraws

_FIRST_DAY = date(2001, 6, 1)
_DAYS = 4_100
"""Patients first come over a little more than eleven years."""


@dataclass(frozen=True, slots=True)
class Patient:
    """A person: what the tables say of them, and what identifies them.

    Times are shifted into 2100–2200 as in MIMIC; `shift` leads back to the real ones.
    """

    index: int
    subject_id: int
    sex: str
    born: date
    first_seen: datetime
    shift: timedelta
    ethnicity: str
    race: str
    marital: str
    religion: str
    language: str
    insurance: str
    occupation: str
    lives: str
    dice: RandomDraws = field(repr=False, compare=False)
    first: str = field(repr=False)
    last: str = field(repr=False)
    spouse: str = field(repr=False)
    kin: str
    """What the closest relative after the spouse is to the patient."""
    child: str = field(repr=False)
    doctor: str = field(repr=False)
    phone: str = field(repr=False)
    street: str = field(repr=False)
    town: str = field(repr=False)
    state: str = field(repr=False)
    record_number: str = field(repr=False)
    email: str = field(repr=False)
    company: str = field(repr=False)

    def age(self, when: datetime) -> int:
        """Whole years at a time."""
        had_birthday = (when.month, when.day) >= (self.born.month, self.born.day)
        return when.year - self.born.year - (not had_birthday)

    @property
    def is_woman(self) -> bool:
        """Whether the patient is a woman."""
        return self.sex == "F"


_RACES = (
    ("WHITE", "White", 70.0),
    ("BLACK/AFRICAN AMERICAN", "Black", 10.0),
    ("HISPANIC OR LATINO", "Hispanic", 5.0),
    ("ASIAN", "Asian", 4.0),
    ("OTHER", "Other", 4.0),
    ("UNKNOWN/NOT SPECIFIED", "Unknown", 5.0),
    ("WHITE - RUSSIAN", "White", 1.2),
    ("BLACK/CAPE VERDEAN", "Black", 0.8),
)
_RELIGIONS = (
    ("CATHOLIC", 40.0), ("NOT SPECIFIED", 20.0), ("PROTESTANT QUAKER", 14.0), ("JEWISH", 10.0),
    ("UNOBTAINABLE", 8.0), ("OTHER", 5.0), ("EPISCOPALIAN", 2.0), ("BUDDHIST", 1.0),
)  # fmt: skip
_LANGUAGES = (
    ("ENGL", 78.0),
    ("", 10.0),
    ("SPAN", 5.0),
    ("RUSS", 3.0),
    ("PTUN", 2.0),
    ("CANT", 2.0),
)


def make_patient(seed: int, index: int) -> Patient:
    """Patient number `index` of the hospital with this seed."""
    dice = RandomDraws(f"{seed}:{index}")
    who = dice.fork("person")
    sex = "F" if who.chance(0.44) else "M"
    age = _age(who)
    real = _FIRST_DAY + timedelta(days=who.below(_DAYS))
    # Whole weeks near a whole number of years: weekday and season stay.
    shift = timedelta(days=7 * (who.between(99, 178) * 365_2425 // 70_000))
    seen = datetime.combine(real, datetime.min.time()) + shift
    seen += timedelta(minutes=who.below(1440))
    born = (seen - timedelta(days=age * 365 + age // 4 + who.between(1, 364))).date()
    ethnicity, race, _ = who.weighted(_RACES, [weight for _, _, weight in _RACES])
    first = who.pick(names.WOMEN if sex == "F" else names.MEN)
    last = who.pick(names.SURNAMES)
    kin = who.pick(("daughter", "daughter", "son", "sister", "brother", "niece", "nephew"))
    return Patient(
        index=index,
        subject_id=subject_id(index),
        sex=sex,
        born=born,
        first_seen=seen,
        shift=shift,
        ethnicity=ethnicity,
        race=race,
        marital=_marital(age, who),
        religion=who.weighted([r for r, _ in _RELIGIONS], [w for _, w in _RELIGIONS]),
        language=who.weighted([r for r, _ in _LANGUAGES], [w for _, w in _LANGUAGES]),
        insurance=(
            who.weighted(("Medicare", "Private"), (9.0, 1.0))
            if age >= 65
            else who.weighted(
                ("Private", "Medicaid", "Medicare", "Government", "Self Pay"), (60, 20, 12, 5, 3)
            )
        ),
        occupation=who.pick(names.OCCUPATIONS),
        lives=_lives(age, who),
        dice=dice,
        first=first,
        last=last,
        spouse=who.pick(names.MEN if sex == "F" else names.WOMEN),
        kin=kin,
        child=who.pick(names.WOMEN if kin in ("daughter", "sister", "niece") else names.MEN),
        doctor=who.pick(names.SURNAMES),
        phone=_phone(who),
        street=f"{who.between(1, 980)} {who.pick(names.STREETS)}",
        town=who.pick(names.TOWNS),
        state=who.pick(names.STATES),
        record_number=f"{who.between(1_000_000, 9_999_999)}",
        email=_email(first, last, who),
        company=who.pick(names.COMPANIES),
    )


def subject_id(index: int) -> int:
    """The patient's number: unlike any other's, and no hint at the order of their coming."""
    block, slot = divmod(index, 89_989)
    return 10_007 + 89_989 * block + slot * 31_337 % 89_989


def _age(dice: RandomDraws) -> int:
    while True:
        age = int(63.5 + 17.0 * dice.bell())
        if 18 <= age <= 97:
            return age


def _marital(age: int, dice: RandomDraws) -> str:
    states = ("MARRIED", "SINGLE", "WIDOWED", "DIVORCED", "SEPARATED")
    if age < 35:
        return dice.weighted(states, (25, 70, 1, 3, 1))
    if age < 65:
        return dice.weighted(states, (58, 24, 3, 13, 2))
    return dice.weighted(states, (48, 12, 31, 8, 1))


def _lives(age: int, dice: RandomDraws) -> str:
    places = ("with family", "alone", "nursing home", "assisted living")
    if age >= 75:
        return dice.weighted(places, (50, 28, 14, 8))
    return dice.weighted(places, (71, 26, 2, 1))


def _phone(dice: RandomDraws) -> str:
    area, exchange, line = dice.pick((617, 508, 781, 603, 401)), 555, dice.between(100, 199)
    shape = dice.pick(("({}) {}-{:04d}", "{}-{}-{:04d}", "{} {} {:04d}"))
    return shape.format(area, exchange, line)


def _email(first: str, last: str, dice: RandomDraws) -> str:
    plain = {"é": "e", "è": "e", "ñ": "n", "'": "", " ": ""}
    name = "".join(plain.get(c, c) for c in f"{first}.{last}".lower())
    return (
        f"{name}{dice.between(1, 99)}@{dice.pick(('example.org', 'example.net', 'mail.example'))}"
    )
