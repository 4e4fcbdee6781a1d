"""What is known of a word when it comes with a capital letter: name, place, eponym or plain word.

The lists are in `tables/`: the Census Bureau's of 1990, which are public, and our own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

FEMALE, MALE, SURNAME, COMMON, RARE, WORD, EPONYM, FUNCTION = (1 << bit for bit in range(8))
"""A woman's or man's given name; a surname; a frequent surname; a rare given name; a word; an
eponym; a function word, such as a pronoun."""
GIVEN = FEMALE | MALE
NAME = GIVEN | SURNAME
AMBIGUOUS = WORD | EPONYM

_FREQUENT = 5_000
_KNOWN = 1_200
"""How many given names per sex are frequent enough to be recognized without context."""
_SHORTEST = 3
_ENDING = re.compile(
    r".{3,}(?:ly|ing|ed|tion|sion|ment|ical|ous|ology|ologic|ological|ologist|iatric|iatrics|iatry"
    r"|itis|emia|aemia|uria|ography|ogram|oscopy|ectomy|otomy|ostomy|plasty|pathy|algia|osis|ness"
    r"|ity|ive|able|ible|ular|eal|ism|ence|ance|istry|scopic|graphic|genic|otic|omic|cyte|ase|oma"
    r"|oral)s?"
)
"""Endings of words of English and of medicine."""


def folded(word: str) -> str:
    """The letters of a word in lower case, without accents and apostrophes.

    >>> folded("O'Brien"), folded("Lefèvre"), folded("Smith-Jones")
    ('obrien', 'lefevre', 'smithjones')
    """
    lower = word.lower()
    if lower.isascii():
        return lower if lower.isalpha() else "".join(filter(str.isalpha, lower))
    return "".join(filter(str.isalpha, unicodedata.normalize("NFKD", lower)))


@cache
def lexicon() -> dict[str, int]:
    """The flags of every word in the lists."""
    flags: dict[str, int] = {}

    def add(name: str, flag: int) -> None:
        flags[name] = flags.get(name, 0) | flag

    for table, flag in (("given_female", FEMALE), ("given_male", MALE)):
        for rank, name in enumerate(lines(table)):
            add(name, flag | RARE if rank >= _KNOWN else flag)
            if rank < _KNOWN:
                flags[name] &= ~RARE
    for rank, name in enumerate(lines("surnames")):
        add(name, SURNAME | COMMON if rank < _FREQUENT else SURNAME)
    for table in ("words", "ordinary"):
        for name in lines(table):
            add(name, WORD)
    for name in lines("function_words"):
        add(name, WORD | FUNCTION)
    for name in lines("eponyms"):
        add(name, EPONYM)
    for name in flags:
        if len(name) < _SHORTEST:
            flags[name] |= WORD
    return flags


def is_ordinary(key: str, flags: int) -> bool:
    """Whether a word, by its letters and what is known of it, is one of the language.

    >>> is_ordinary("postoperatively", 0), is_ordinary("okonkwo", 0)
    (True, False)
    """
    if flags & NAME:
        return False
    known = flags & WORD or (key.endswith("s") and lexicon().get(key[:-1], 0) & WORD)
    return bool(known) or _ENDING.fullmatch(key) is not None


@cache
def sexes() -> dict[str, bool]:
    """Whether a given name is a woman's; of names that are both, by where it is more frequent."""
    women = {name: rank for rank, name in enumerate(lines("given_female"))}
    men = {name: rank for rank, name in enumerate(lines("given_male"))}
    far = max(len(women), len(men))
    return {
        name: women.get(name, far) < men.get(name, far) for name in dict.fromkeys([*women, *men])
    }


@cache
def states() -> dict[str, str]:
    """The states of the United States with their abbreviations."""
    return dict(line.split("\t") for line in lines("states"))


@cache
def towns() -> tuple[str, ...]:
    """Larger towns."""
    return tuple(lines("towns"))


@cache
def countries() -> tuple[str, ...]:
    """Countries, by the names they have in English."""
    return tuple(lines("countries"))


def is_country(name: str) -> bool:
    """Whether a name in lower case is that of a country."""
    return name in _country_names()


@cache
def _country_names() -> frozenset[str]:
    return frozenset(country.lower() for country in countries())


@cache
def country_parts() -> frozenset[str]:
    """The words of countries that have several."""
    return frozenset(
        part for country in _country_names() if " " in country for part in country.split()
    )


def is_place(key: str) -> bool:
    """Whether a word, by its letters, is a town, state or country, which may be meant instead."""
    return key in _places()


@cache
def _places() -> frozenset[str]:
    return frozenset(
        name.lower() for name in (*states(), *towns(), *countries()) if " " not in name
    )


def lines(table: str) -> Iterator[str]:
    """The entries of a table, in its order."""
    text = files("auscult.deid").joinpath(f"tables/{table}.txt").read_text("utf-8")
    return (line for line in text.splitlines() if line and not line.startswith("#"))
