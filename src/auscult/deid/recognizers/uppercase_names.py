"""Names in capitals, as in notes that are written in capitals throughout.

Capitals say nothing there: a given name before a surname does, or what stands before. Alone a
name may be an abbreviation or a word, and is left to the review.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auscult.deid.capitalized_words import CapitalizedWord
from auscult.deid.disambiguation import is_thing
from auscult.deid.lexicon import (
    AMBIGUOUS,
    COMMON,
    GIVEN,
    NAME,
    RARE,
    SURNAME,
    WORD,
    is_place,
)
from auscult.deid.phi_span import PhiPart
from auscult.deid.recognizers.name_cues import BY, KIN, PERSON_AFTER

if TYPE_CHECKING:
    from auscult.deid.recognizers.names import NameScan

_CUES = BY | {"patient", "pt", "pt.", "patient,", "attending", "resident", "surgeon", "m.d."}
_PERSON_AFTER = re.compile(PERSON_AFTER.pattern, re.IGNORECASE)
_SHORTEST = 4
_PAIR, _CUED, _ALONE = (
    "two words in capitals that may be a name",
    "a word in capitals that may be a name",
    "a name in capitals on its own",
)


def take_uppercase(reading: NameScan, at: int) -> None:
    """Take the name in capitals that begins with a word, if it is one."""
    word = reading.words[at]
    if word.key in KIN:
        return
    if word.flags & GIVEN and _take_pair(reading, at):
        return
    if word.flags & GIVEN and word.flags & WORD and reading.is_of_kin(at):
        reading.take(at, PhiPart.GIVEN, _CUED)
        return
    known = _is_plain(word) and (word.flags & COMMON or _is_given(word))
    if not known or len(word.key) < _SHORTEST or is_thing(reading.text, word):
        return
    part = PhiPart.GIVEN if word.flags & GIVEN else PhiPart.SURNAME
    before = word.before.rstrip(",:")
    if before in _CUES or _PERSON_AFTER.match(reading.text, word.end):
        reading.take(at, part, "" if before in BY and word.flags & GIVEN else _CUED)
    elif _is_given(word) and not reading.is_heading(at):
        reading.take(at, part, _ALONE)
    elif word.flags & COMMON and not reading.is_heading(at):
        reading.take(at, part, _ALONE, hide=False)


def _take_pair(reading: NameScan, at: int) -> bool:
    """Take a given name with the surname behind it; whether there is no more to say of it."""
    last = at + 1
    if last < len(reading.words) and len(reading.words[last].key) == 1:
        last += 1
    if last >= len(reading.words) or not all(map(reading.adjoins, range(at, last))):
        return False
    given, surname = reading.words[at], reading.words[last]
    spelled = reading.text[surname.begin : surname.end]
    if is_thing(reading.text, given) or is_thing(reading.text, surname):
        return True  # GRAHAM STEELL MURMUR
    if not surname.flags & SURNAME or not spelled.isupper() or reading.is_heading(last):
        return False
    plain = [_is_plain(given) and not given.flags & RARE, _is_plain(surname)]
    if (len(surname.key) < _SHORTEST or is_place(given.key)) and not all(plain):
        return False
    doubt = "" if all(plain) else _PAIR
    for one in range(at, last + 1):
        part = PhiPart.SURNAME if one == last else PhiPart.GIVEN
        reading.take(one, part, doubt, hide=any(plain))
    after = last + 1
    while after < len(reading.words) and reading.adjoins(after - 1):
        more = reading.words[after]
        if not (_is_plain(more) and more.flags & SURNAME and len(more.key) >= _SHORTEST):
            break
        if reading.is_heading(after) or not reading.text[more.begin : more.end].isupper():
            break
        reading.take(after, PhiPart.SURNAME, doubt, hide=any(plain))
        after += 1
    return True


def _is_plain(word: CapitalizedWord) -> bool:
    return bool(word.flags & NAME) and not word.flags & AMBIGUOUS and not is_place(word.key)


def _is_given(word: CapitalizedWord) -> bool:
    return bool(word.flags & GIVEN) and not word.flags & RARE
