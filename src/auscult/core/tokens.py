"""Words of a text with their exact places, as the MDACE paper counts them.

A token is a run of word characters, lower-cased. Whole numbers above ten are left out by default:
lab values and dates are many and hardly ever evidence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

from auscult.core.span import Span

_WORD = re.compile(r"\w+")
_LARGEST = 10


@dataclass(frozen=True, slots=True)
class Token:
    """A lower-cased word and the span it has in the text it comes from."""

    word: str = field(repr=False)
    span: Span


def tokens(text: str, *, numbers: bool = False) -> Iterator[Token]:
    """The tokens of a text, in order; with `numbers` those of all whole numbers too.

    Spans point into the text as given: lower-casing happens word by word, so a letter whose lower
    case is longer moves nothing.

    >>> [token.word for token in tokens("BP 120/80, afebrile x 3 days")]
    ['bp', 'afebrile', 'x', '3', 'days']
    >>> [token.word for token in tokens("BP 120/80", numbers=True)]
    ['bp', '120', '80']
    """
    return (
        Token(word, Span(begin, end)) for word, begin, end in word_places(text, numbers=numbers)
    )


def word_places(text: str, *, numbers: bool = False) -> list[tuple[str, int, int]]:
    """The same as plain tuples, each word with its begin and end: a third of the time.

    >>> word_places("No fever")
    [('no', 0, 2), ('fever', 3, 8)]
    """
    found = [(match[0].lower(), match.start(), match.end()) for match in _WORD.finditer(text)]
    if numbers:
        return found
    return [one for one in found if one[0][0].isalpha() or not is_large_number(one[0])]


def is_large_number(word: str) -> bool:
    """Whether a word is a whole number above ten, in the digits of any script.

    Superscripts and fractions are no digits of a number: `5²` is a word.

    >>> [is_large_number(word) for word in ("10", "11", "110", "007", "5²", "3rd")]
    [False, True, True, False, False, False]
    """
    if not word.isdecimal():
        return False
    # Not the whole word as a number: text may have thousands of digits in a row.
    return int(word[-2:]) > _LARGEST or any(unicodedata.decimal(digit) for digit in word[:-2])
