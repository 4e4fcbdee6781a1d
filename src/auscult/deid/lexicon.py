"""What is known of a word when it comes with a capital letter: name, place, eponym or plain word.

The lists are in `tables/`: the Census Bureau's of 1990, which are public, and our own.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

FEMALE, MALE, SURNAME, COMMON, RARE, WORD, EPONYM = (1 << bit for bit in range(7))
"""A woman's or man's given name; a surname; a frequent surname; a rare given name; also a word;
also an eponym."""
GIVEN = FEMALE | MALE
NAME = GIVEN | SURNAME
AMBIGUOUS = WORD | EPONYM

_FREQUENT = 5_000
_KNOWN = 1_200
"""How many given names per sex are frequent enough to be recognized without context."""
_SHORTEST = 3


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
    for name in lines("words"):
        add(name, WORD)
    for name in lines("eponyms"):
        add(name, EPONYM)
    for name in flags:
        if len(name) < _SHORTEST:
            flags[name] |= WORD
    return flags


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


def is_place(key: str) -> bool:
    """Whether a word, by its letters, is a town or a state, which may be meant instead."""
    return key in _places()


@cache
def _places() -> frozenset[str]:
    return frozenset(name.lower() for name in (*states(), *towns()) if " " not in name)


def lines(table: str) -> Iterator[str]:
    """The entries of a table, in its order."""
    text = files("auscult.deid").joinpath(f"tables/{table}.txt").read_text("utf-8")
    return (line for line in text.splitlines() if line and not line.startswith("#"))
