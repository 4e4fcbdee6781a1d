"""Words of titles, questions and references as they are compared."""

from __future__ import annotations

import re
from functools import lru_cache

from auscult.codes.alphabetic.titles import CONNECTIVE_WORDS, parse_title
from auscult.codes.index.folding import folded
from auscult.codes.index.stems import stem

_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"'s?\b")
_ABOUT_THE_TERM = frozenset(("nec", "nos"))
FILLERS = frozenset(("specified", "unspecified"))
"""Words that say how much is known, not what it is."""


@lru_cache(maxsize=200_000)
def words_of(text: str) -> tuple[str, ...]:
    """The folded words of a text, without NEC and NOS.

    >>> words_of("Crohn's disease, large-bowel NEC")
    ('crohn', 'disease', 'large', 'bowel')
    """
    plain = _POSSESSIVE.sub("", folded(text))
    return tuple(word for word in _WORD.findall(plain) if word not in _ABOUT_THE_TERM)


@lru_cache(maxsize=200_000)
def stems_of(text: str) -> tuple[str, ...]:
    """The stems of those words.

    >>> stems_of("Complications, joint prostheses")
    ('complic', 'joint', 'prosthes')
    """
    return tuple(stem(word, "english") for word in words_of(text))


def is_connective(word: str) -> bool:
    """True for a word that only joins; `without` is not one, since it turns the meaning."""
    return word in CONNECTIVE_WORDS and word != "without"


@lru_cache(maxsize=100_000)
def title_stems(printed: str) -> tuple[tuple[str, ...], ...]:
    """The stems of each spelling of a title, of its text and of its parts; each once."""
    title = parse_title(printed)
    parts = re.split(r", | or ", title.text)
    # The first part of a long title is enough: "fire, flames", "lymph gland or node".
    texts = (title.text, *title.spellings, *(parts[:1] if len(parts) > 1 else ()))
    return tuple(stems for stems in dict.fromkeys(map(stems_of, texts)) if stems)
