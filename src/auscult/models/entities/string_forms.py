"""Normal forms and keys of strings, by which concepts are looked up.

`normal` keeps words and their order; `key` forgets endings, order, stop words and spelling that
differs between countries, so that "tumours of the kidneys" and "kidney tumor" are one key.
"""

from __future__ import annotations

import re
from functools import lru_cache

from auscult.codes.index.folding import fold
from auscult.codes.index.stems import stem
from auscult.codes.index.tokens import tokenize
from auscult.codes.index.wordlists import stop_words

_POSSESSIVE = re.compile(r"(?<=\w)'s?(?!\w)")
_POINTING = re.compile(
    r"(?:(?:an?|any|each|her|his|my|our|some|that|the|their|these|this|those|your)\s+)+(?=\w)"
)
_ROMAN = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9"}
_ROMAN_AFTER = {"i": "1", "v": "5", "x": "10"}
_NUMBERED = frozenset(
    ["class", "factor", "grade", "group", "mps", "phase", "stage", "subtype", "type"]
)
_SPELLING = ((re.compile("ae|oe"), "e"), (re.compile("our(?=s?$)"), "or"))
_JOINS = re.compile(r"\s*(?:,\s*(?:and|or)\b|\band/or\b|\band\b|\bor\b|/|,|&)\s*")


@lru_cache(maxsize=200_000)
def words(text: str) -> tuple[str, ...]:
    """The folded words of a string, without possessives and a leading *the* or *her*.

    >>> words("her Crohn's disease")
    ('crohn', 'disease')
    """
    folded = fold(text).text.strip()
    pointing = _POINTING.match(folded)
    folded = folded[pointing.end() :] if pointing else folded
    return tuple(w for w in tokenize(_POSSESSIVE.sub("", folded)) if w[0].isalnum())


def normal(text: str) -> str:
    """The normal form of a string, which is compared word for word.

    >>> normal("Follow-up: the\\n BP")
    'follow up the bp'
    """
    return " ".join(words(text))


@lru_cache(maxsize=200_000)
def stems(text: str, language: str = "english") -> tuple[str, ...]:
    """The stems of a string's content words, in order.

    >>> stems("Tumours of the kidneys, type II")
    ('tumor', 'kidney', 'type', '2')
    """
    stop = stop_words(language)
    found = []
    before = ""
    for word in words(text):
        number = _ROMAN.get(word) or (_ROMAN_AFTER.get(word) if before in _NUMBERED else None)
        before = word
        if number is not None:
            found.append(number)
        elif word not in stop or (len(word) == 1 and found):
            found.append(_stem(word, language))
    return tuple(found) or words(text)


@lru_cache(maxsize=200_000)
def _stem(word: str, language: str) -> str:
    if language == "english":
        for pattern, plain in _SPELLING:
            word = pattern.sub(plain, word)
    return stem(word, language)


def key(text: str, language: str = "english") -> str:
    """The key of a string, which ignores endings and word order.

    >>> key("kidney tumor") == key("Tumours of the Kidneys")
    True
    """
    return " ".join(sorted(set(stems(text, language))))


def parts(text: str) -> list[str]:
    """The strings that a coordination is short for; none when it is no coordination.

    >>> parts("breast and ovarian cancer")
    ['breast cancer', 'ovarian cancer']
    >>> parts("cancers of the breast and ovary")
    ['cancers of the breast', 'cancers of the ovary']
    """
    pieces = [piece.split() for piece in _JOINS.split(" ".join(text.split())) if piece]
    if not 2 <= len(pieces) <= 4 or not all(pieces):
        return []
    if any("of" in piece for piece in pieces[:1]):
        first = pieces[0]
        at = len(first) - 1 - first[::-1].index("of")
        head = first[: at + 1]
        if first[at + 1 : at + 2] == ["the"]:
            head = first[: at + 2]
        shared = [first, *([*head, *piece] for piece in pieces[1:])]
    else:
        # The head of the last piece belongs to all of them: its words after the first.
        head = pieces[-1][1:]
        shared = [[*piece, *head] if len(piece) <= len(pieces[-1]) else piece for piece in pieces]
        shared[-1] = pieces[-1]
    return [" ".join(piece) for piece in shared]
