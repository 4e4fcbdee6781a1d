"""Forts, streets without a number, churches and schools: what names a place by its last word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from auscult.deid.capitalized_words import CapitalizedWord
from auscult.deid.lexicon import NAME, WORD, lines
from auscult.deid.phi_span import PhiKind, PhiPart, PhiSpan

_STREETS = frozenset((
    "street", "avenue", "ave", "boulevard", "blvd", "road", "rd", "highway", "hwy", "parkway",
    "pkwy", "turnpike", "st", "lane", "ln",
))  # fmt: skip
_OTHERWISE = frozenset(("st", "lane", "ln", "road"))
"""Ambiguous words, accepted as streets only after `on`, `at` or a common street name."""
_STREET_NAMES = frozenset((
    "main", "broad", "market", "elm", "oak", "maple", "church", "washington", "park", "front",
    "chestnut", "walnut", "pine", "cedar", "summer", "winter", "high", "center",
))  # fmt: skip
_ON = frozenset(("on", "at", "near", "off", "along", "of", "from", "down", "to"))
_WHERE = frozenset(("at", "in", "to", "from", "near", "outside", "of", "around"))
_SCHOOLS = frozenset((
    "church", "school", "university", "college", "synagogue", "mosque", "academy", "parish",
    "prison", "jail", "penitentiary", "cathedral", "seminary", "barracks",
))  # fmt: skip
_GENERAL = frozenset((
    "high", "middle", "elementary", "primary", "medical", "law", "grade", "nursing", "junior",
    "senior", "public", "private", "community", "county", "state", "business", "dental", "night",
    "the", "a", "his", "her", "my", "our", "their", "after", "in", "at", "to", "from", "attends",
    "finished", "completed", "day", "pre", "some", "post", "left", "plays", "and", "education",
    "social", "occupation", "lives", "works", "student", "teacher", "barrier", "american",
))  # fmt: skip
LANDMARKS = _STREETS | _SCHOOLS | {"fort", "ft"}
"""The words that indicate it."""


def landmark(text: str, words: list[CapitalizedWord], at: int) -> PhiSpan | None:
    """The place that a word of `LANDMARKS` tells, if it does."""
    key = words[at].key
    if key in ("fort", "ft"):
        return _fort(text, words, at)
    return _street(text, words, at) if key in _STREETS else _school(text, words, at)


def _fort(text: str, words: list[CapitalizedWord], at: int) -> PhiSpan | None:
    """Fort Hood, Ft. Bragg, FT BRAGG; not the feet of `50 Ft.`, nor FT for full-term."""
    if at + 1 >= len(words):
        return None
    word, after = words[at], words[at + 1]
    gap = text[word.end : after.begin]
    spelled, named = text[word.begin : word.end], text[after.begin : after.end]
    if word.before[:1].isdigit():
        return None
    place = PhiSpan(word.begin, after.end, PhiKind.LOCATION, PhiPart.TOWN)
    if is_fort(text, words, at):
        return place
    if not named.istitle():
        return None
    if spelled == "Fort" and gap in (" ", "\n"):
        return place
    if spelled == "Ft" and gap in (" ", ". "):
        return place
    if spelled == "FT" and gap == " ":
        told = word.before in _WHERE and not after.flags & WORD
        return place._replace(doubt="FT: a fort, or another meaning", hide=told)
    return None


def is_fort(text: str, words: list[CapitalizedWord], at: int) -> bool:
    """Whether two words are a fort of the list, also in capitals: FT BRAGG."""
    if at + 1 >= len(words) or words[at].key not in ("fort", "ft"):
        return False
    after = words[at + 1]
    named = text[after.begin : after.end]
    alike = named.istitle() or named.isupper()
    gap = text[words[at].end : after.begin]
    return alike and gap in (" ", "\n", ". ") and after.key in _forts()


def small_forts(text: str) -> Iterator[PhiSpan]:
    """Forts in small letters, by the list: fort bragg, ft. bragg."""
    if "fort " in text or "ft" in text:
        for match in _small_fort().finditer(text):
            yield PhiSpan(*match.span(), PhiKind.LOCATION, PhiPart.TOWN)


@cache
def _small_fort() -> re.Pattern[str]:
    names = "|".join(sorted(_forts()))
    return re.compile(rf"f(?<!\w.)(?<!\d f)(?:ort|t\.?)\s(?:{names})\b", re.IGNORECASE)


@cache
def _forts() -> frozenset[str]:
    return frozenset(lines("forts"))


def _street(text: str, words: list[CapitalizedWord], at: int) -> PhiSpan | None:
    if not at or text[words[at - 1].end : words[at].begin] != " ":
        return None
    before = words[at - 1]
    alike = text[before.begin : before.end].istitle() and text[words[at].begin : words[at].end]
    if not alike or not alike.istitle() or before.key in _GENERAL - _STREET_NAMES:
        return None
    told = before.before in _ON or before.key in _STREET_NAMES
    if words[at].key in _OTHERWISE and not told:
        return None
    doubt = "a street without a number"
    return PhiSpan(before.begin, words[at].end, PhiKind.LOCATION, PhiPart.STREET, doubt)


def _school(text: str, words: list[CapitalizedWord], at: int) -> PhiSpan | None:
    """First Baptist Church, Lincoln High School, University of Michigan; not High School."""
    if text[words[at].begin : words[at].end].isupper():
        return None
    first = last = at
    while first and at - first < 4 and text[words[first - 1].end : words[first].begin] == " ":
        first -= 1
    while first < at and words[first].key in _GENERAL:
        first += 1
    if at + 1 < len(words) and text[words[at].end : words[at + 1].begin] in (" of ", " of the "):
        last = at + 1
    if all(word.key in _GENERAL or word.key in _SCHOOLS for word in words[first : last + 1]):
        return None
    named = words[first].flags & NAME and not words[first].flags & WORD
    doubt = "" if named else "an organization"
    return PhiSpan(words[first].begin, words[last].end, PhiKind.LOCATION, doubt=doubt)
