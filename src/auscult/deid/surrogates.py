"""What stands in a secret's place: a like value, the same one each time a patient's notes name it.

Two styles. `paper` is that of the 2007 challenge's corpus (Pestian et al. 2007): women's given
names become Jane, men's John, surnames Johnson, and places a general word. `realistic` draws names
and places, of the same sex and kind, so that a reader cannot tell which were there before.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from enum import StrEnum
from functools import cache

from auscult.deid.ages import capped
from auscult.deid.date_shift import KeyedRandom
from auscult.deid.dates import read_date, shifted
from auscult.deid.lexicon import (
    AMBIGUOUS,
    FEMALE,
    MALE,
    SURNAME,
    countries,
    folded,
    lexicon,
    lines,
    sexes,
    states,
)
from auscult.deid.phi_span import PhiKind, PhiPart, PhiSpan


class ReplacementStyle(StrEnum):
    """How PHI is replaced."""

    PAPER = "paper"
    REALISTIC = "realistic"


_GENERAL = {
    PhiPart.STREET: "Street Address",
    PhiPart.TOWN: "Town",
    PhiPart.STATE: "State",
    PhiPart.ZIP: "00000",
    PhiPart.COMPANY: "Company",
    PhiPart.COUNTRY: "Country",
}
_UNKNOWN = {
    PhiKind.NAME: "Person",
    PhiKind.DATE: "[date]",
    PhiKind.AGE: "90+",
    PhiKind.PHONE: "[phone]",
    PhiKind.ID: "[number]",
    PhiKind.EMAIL: "[e-mail]",
    PhiKind.URL: "[web address]",
    PhiKind.LOCATION: "Place",
    PhiKind.HOSPITAL: "Hospital",
}
# None of these is a place on a map.
_TOWNS = (
    "Alderbrook", "Birchmont", "Calderwick", "Dovermere", "Elmsworth", "Fairholt", "Greyminster",
    "Hollingford", "Inverleigh", "Kingsmarsh", "Larkhaven", "Millbrae", "Netherfold", "Oakenshaw",
    "Penwick", "Ravensmere", "Stonecrest", "Tamarack Falls", "Underhill", "Wrenfield",
)  # fmt: skip
_STREETS = ("Alder", "Beacon", "Cedar", "Dogwood", "Elm", "Franklin", "Grove", "Hickory", "Juniper")
_STREET_KINDS = ("Street", "Avenue", "Road", "Lane", "Drive")
_HOSPITALS = ("Hospital", "Medical Center", "General Hospital", "Memorial Hospital")
_COMPANIES = ("Supply", "Logistics", "Foods", "Textiles", "Motors", "Printing", "Electric")
_FREQUENT = 400
_JOINED = ("mc", "obr", "oco", "one", "odo", "oke", "dela", "vand", "stj")
"""Prefixes of names written with an apostrophe, a space or a second capital."""


class Surrogates:
    """The replacements of one patient's notes."""

    def __init__(
        self,
        chance: KeyedRandom,
        patient: str,
        offset: timedelta,
        *,
        style: ReplacementStyle = ReplacementStyle.REALISTIC,
        day_first: bool = False,
    ) -> None:
        self.patient = patient
        self.offset = offset
        self.latest: date | None = None
        """The patient's last known date, to tell whether the patient was over 89."""
        self.names: dict[str, str] = {}
        """The replaced names, by kind and spelling, for the key file."""
        self._chance = chance
        self._style = style
        self._day_first = day_first
        self._avoid: set[str] = set()

    def avoid(self, keys: set[str]) -> None:
        """Names of the patient's own notes, which no surrogate may be."""
        self._avoid |= keys

    def replaced(self, found: PhiSpan, words: str, near: date | None) -> str:
        """What stands in place of these words in a note of the day `near`."""
        kind = found.kind
        if kind is PhiKind.NAME:
            return self._cased(self._name(found.part, words), words)
        if kind is PhiKind.DATE:
            moved = shifted(
                words,
                self.offset,
                near,
                day_first=self._day_first,
                latest=self.latest or near,
            )
            return _UNKNOWN[kind] if moved is None else moved
        if kind is PhiKind.PHONE:
            return self._phone(words)
        if kind is PhiKind.ID:
            return self._like(words)
        if kind is PhiKind.EMAIL:
            return f"person{self._number(9000, 'email', words.lower()) + 1000}@example.org"
        if kind is PhiKind.URL:
            return "www.example.org"
        if kind in (PhiKind.LOCATION, PhiKind.HOSPITAL):
            return self._place(found, words)
        return self.generalized(found, words, near)

    def generalized(self, found: PhiSpan, words: str, near: date | None) -> str:
        """What these words become when only their kind may show; of a date the year, moved."""
        if found.kind is PhiKind.DATE:
            read = read_date(words, day_first=self._day_first)
            if read is not None and read.year_digits == 4:
                try:
                    day = capped(read.on(near), self.latest or near)
                    return f"{(day + self.offset).year}"
                except (OverflowError, ValueError):
                    return _UNKNOWN[PhiKind.DATE]
        return _GENERAL.get(found.part) or _UNKNOWN[found.kind]

    def _number(self, size: int, *name: str) -> int:
        return self._chance.number(size, *name, self.patient)

    def _name(self, part: PhiPart, words: str) -> str:
        key = folded(words)
        if part is PhiPart.INITIAL:
            letter = (
                "J"
                if self._style is ReplacementStyle.PAPER
                else chr(65 + self._number(26, "initial", key))
            )
            return letter + words[1:]
        given = part is PhiPart.GIVEN
        woman = sexes().get(key)
        if given and woman is None:
            woman = self._number(2, "sex", key) == 0
        if self._style is ReplacementStyle.PAPER:
            return ("Jane" if woman else "John") if given else "Johnson"
        kind = f"given {woman}" if given else "surname"
        if kind + key not in self.names:
            flag = (FEMALE if woman else MALE) if given else SURNAME
            self.names[kind + key] = self._draw(kind, key, _frequent(flag))
        return self.names[kind + key]

    def _draw(self, kind: str, key: str, choices: tuple[str, ...]) -> str:
        """A name that is none of the patient's own, and not in use for another of them."""
        used = set(self.names.values())
        start = self._number(len(choices), kind, key)
        for step in range(len(choices)):
            name = choices[(start + step) % len(choices)]
            if name not in used and name.lower() not in self._avoid and name.lower() != key:
                return name
        return choices[start]

    def _phone(self, words: str) -> str:
        digits = re.sub(r"\D", "", words)
        if len(digits) < 10:
            return self._like(words)
        drawn = f"{self._number(10**8, 'phone', digits):08d}"
        # 555-01xx is kept for fiction in every area.
        new = digits[:-10].translate(str.maketrans("23456789", "11111111"))
        new += f"{2 + int(drawn[0]) % 8}{drawn[1:3]}55501{drawn[3:5]}"
        figures = iter(new)
        return re.sub(r"\d", lambda _: next(figures, "0"), words)

    def _like(self, words: str) -> str:
        """The same figure with other digits and letters."""
        for attempt in range(9):
            made = "".join(
                self._letter(character, f"{attempt} {at}", words)
                for at, character in enumerate(words)
            )
            if made != words:
                return made
        return "".join("0" if c.isalnum() else c for c in words)

    def _letter(self, character: str, at: str, words: str) -> str:
        if character.isdecimal():
            return str(self._number(10, "digit", at, words))
        if character.isascii() and character.isalpha():
            letter = chr(97 + self._number(26, "letter", at, words))
            return letter.upper() if character.isupper() else letter
        return character

    def _place(self, found: PhiSpan, words: str) -> str:
        part = found.part
        if part is PhiPart.ZIP:
            return (
                self._like(words) if self._style is ReplacementStyle.REALISTIC else _GENERAL[part]
            )
        if self._style is ReplacementStyle.PAPER:
            return self._cased(self.generalized(found, words, None), words)
        key = " ".join(words.lower().split())

        def pick(choices: tuple[str, ...], what: str) -> str:
            return choices[self._number(len(choices), what, key)]

        if part is PhiPart.STREET:
            number = 1 + self._number(980, "house", key)
            made = f"{number} {pick(_STREETS, 'street')} {pick(_STREET_KINDS, 'street kind')}"
        elif part is PhiPart.STATE:
            made = self._state(words)
        elif part is PhiPart.COUNTRY:
            made = pick(tuple(c for c in countries() if c.lower() != key), "country")
        elif part is PhiPart.COMPANY:
            made = f"{pick(_TOWNS, 'company town')} {pick(_COMPANIES, 'company')}"
        elif found.kind is PhiKind.HOSPITAL:
            made = f"{pick(_TOWNS, 'hospital town')} {pick(_HOSPITALS, 'hospital')}"
        else:
            made = pick(_TOWNS, "town")
        return self._cased(made, words)

    def _state(self, words: str) -> str:
        """Another state, the same whether it is written out or abbreviated."""
        known = states()
        plain = " ".join(words.split())
        own = next((n for n, short in known.items() if plain.upper() in (n.upper(), short)), plain)
        others = sorted(name for name in known if name != own)
        drawn = others[self._number(len(others), "state", own)]
        return known[drawn] if plain in known.values() else drawn

    @staticmethod
    def _cased(made: str, words: str) -> str:
        change: Callable[[str], str] = str
        if len(words) > 1 and words.isupper():
            change = str.upper
        elif words.islower():
            change = str.lower
        return change(made)


@cache
def _frequent(flag: int) -> tuple[str, ...]:
    """Frequent names of a kind that are nothing but names."""
    table = {FEMALE: "given_female", MALE: "given_male", SURNAME: "surnames"}[flag]
    known = lexicon()
    plain = (
        name
        for name in lines(table)
        if not known[name] & AMBIGUOUS and len(name) > 2 and not name.startswith(_JOINED)
    )
    if flag != SURNAME:
        other = MALE if flag == FEMALE else FEMALE
        plain = (name for name in plain if not known[name] & other)
    return tuple(name.capitalize() for _, name in zip(range(_FREQUENT), plain, strict=False))
