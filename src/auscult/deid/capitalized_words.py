"""The capitalized words of a text: all names and places are among them."""

from __future__ import annotations

import re
from typing import NamedTuple

from auscult.deid.lexicon import EPONYM, NAME, WORD, folded, lexicon

# A capital at the start of a word, with what apostrophes and hyphens join to it: O'Brien,
# Smith-Jones. A possessive 's is taken off afterwards; words with figures in them are no names.
# Letters may be composed of a letter and its marks, as some systems write them.
_WORD = re.compile(
    "[A-ZÀ-ÖØ-ÞĀ-ŽƠƯǍ-ǛȘȚḀ-Ỿ](?<!\\w.)[\\w\u0300-\u036f]*(?:['’-][^\\W\\d_][\\w\u0300-\u036f]*)*"
)
_POSSESSIVE = ("'s", "’s", "'S", "’S")
_BEFORE, _WRAPPED = 24, 50


class CapitalizedWord(NamedTuple):
    """A word with a capital letter, and what is known of it.

    `key` is its letters, folded; `flags` are the lexicon's; `before` is what stands before it up
    to a blank, in lower case, and is empty at the start of the text.
    """

    begin: int
    end: int
    key: str
    flags: int
    before: str


def capitalized(text: str) -> list[CapitalizedWord]:
    """The capitalized words of a text, in order.

    >>> [word.key for word in capitalized("Mr. O'Brien, 91, has Bell's palsy of CN VII.")]
    ['mr', 'obrien', 'bell', 'cn', 'vii']
    """
    known = lexicon().get
    words = []
    for found in _WORD.finditer(text):
        begin, end = found.span()
        spelled = found[0]
        key = spelled.lower()
        if key.isascii() and key.isalpha():
            flags = known(key, 0)
        else:
            if spelled.endswith(_POSSESSIVE):
                spelled, end = spelled[:-2], end - 2
            key = folded(spelled)
            if any(c.isdigit() or c == "_" for c in spelled):
                continue
            flags = _joined(spelled) if "-" in spelled else known(key, 0)
        around = text[begin - _BEFORE if begin > _BEFORE else 0 : begin].rsplit(None, 1)
        words.append(CapitalizedWord(begin, end, key, flags, around[-1].lower() if around else ""))
    return words


def _joined(spelled: str) -> int:
    """What is known of words with a hyphen: a name if all parts are, or an eponym as a whole."""
    known = lexicon()
    flags = known.get(folded(spelled), 0) & EPONYM
    if flags:
        return flags
    parts = [known.get(folded(part), 0) for part in spelled.split("-")]
    shared = parts[0]
    for part in parts[1:]:
        shared &= part
    return shared & (NAME | WORD)


def is_wrapped(text: str, at: int) -> bool:
    """Whether the line that ends at `at` was broken for its length, so that the next goes on."""
    return at - text.rfind("\n", 0, at) > _WRAPPED
