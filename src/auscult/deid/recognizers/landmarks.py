"""Forts, streets without a number, churches and schools: what names a place by its last word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from auscult.deid.capitalized_words import CapitalizedWord
from auscult.deid.lexicon import FUNCTION, NAME, WORD, is_ordinary, lines
from auscult.deid.phi_span import PhiKind, PhiPart, PhiSpan
from auscult.deid.recognizers.departments import is_general

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
"""Words before a place, also before the Ft. of an address."""
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
    "national", "international", "european", "graduate",
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
    """Fort Hood, Ft. Bragg, FT BRAGG; not the feet of `50 Ft.`, nor FT for full-term or full-time.

    What can be no name behind FT, such as *Infant*, tells that no fort is meant; a name, or where
    one was or lived, that one is.
    """
    if at + 1 >= len(words):
        return None
    word, after = words[at], words[at + 1]
    gap = text[word.end : after.begin]
    spelled, named = text[word.begin : word.end], text[after.begin : after.end]
    if gap not in (" ", "\n", ". ") or (gap == ". " and spelled == "Fort"):
        return None
    if word.before[-1:].isdigit() or after.flags & FUNCTION:
        return None
    place = PhiSpan(word.begin, after.end, PhiKind.LOCATION, PhiPart.TOWN)
    if named.isupper():
        return place if after.key in _forts() and len(after.key) > 1 else None
    if not named.istitle() or len(named) < 2:
        return None
    if spelled != "FT":
        return place
    if after.key in _forts():
        return place
    if is_ordinary(after.key, after.flags) or gap == "\n" or text[after.end : after.end + 1] == ":":
        return None
    told = word.before in _WHERE or (after.flags & NAME and not after.flags & WORD)
    doubt = "FT: a fort, or another meaning"
    return place._replace(doubt=doubt, hide=bool(told))


def small_forts(text: str) -> Iterator[PhiSpan]:
    """Forts in small letters, by the list: fort bragg, ft. bragg."""
    if "fort " in text or " ft" in text or text.startswith("ft"):
        for match in _small_fort().finditer(text):
            yield PhiSpan(*match.span(), PhiKind.LOCATION, PhiPart.TOWN)


@cache
def _small_fort() -> re.Pattern[str]:
    return re.compile(rf"f(?<!\w.)(?<!\d f)(?:ort|t\.?) (?:{'|'.join(sorted(_forts()))})\b")


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
    named = words[first : last + 1]
    if all(one.key in _GENERAL or one.key in _SCHOOLS or is_general(one) for one in named):
        return None
    certain = words[first].flags & NAME and not words[first].flags & WORD
    doubt = "" if certain else "an organization"
    return PhiSpan(words[first].begin, words[last].end, PhiKind.LOCATION, doubt=doubt)
