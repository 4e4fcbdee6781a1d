"""Text as it is compared: without case, accents and typographic variants, its places kept.

Folding may change how many characters there are (`ß` is compared as `ss`, a zero-width space as
nothing), so a folded text knows where each of its characters came from.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

# Compatibility characters of these kinds say something their plain forms do not: `10²` is not
# `102`, and `™` is no part of the word before it.
_KEPT = ("<super>", "<sub>", "<fraction>", "<circle>", "<square>")
_APOSTROPHES = "'’‘‛ʼʹ′´＇"
_QUOTES = '"“”„‟″'


class _Table(dict[str, str]):
    """What each character becomes, worked out when first met."""

    def __missing__(self, character: str) -> str:
        self[character] = folded = _fold(character)
        return folded


def _fold(character: str) -> str:
    if character in "\n\v\f\x85\u2028\u2029":
        return "\n"
    category = unicodedata.category(character)
    if character.isspace() or category in ("Cc", "Cs"):
        return " "
    if category == "Cf" or _is_accent(character):
        return ""
    if category == "Pd" or character == "−":
        return "-"
    if character in _APOSTROPHES:
        return "'"
    if character in _QUOTES:
        return '"'
    if unicodedata.decomposition(character).startswith(_KEPT):
        return character
    parts = unicodedata.normalize("NFKD", character)
    folded = "".join(part for part in parts if not _is_accent(part)).casefold()
    if any(map(str.isspace, folded)):
        return character  # an accent by itself, which decomposes into a space that bears it
    return folded if folded == character else "".join(map(_fold, folded))


def _is_accent(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


_TABLE = _Table()
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True, slots=True, repr=False)
class Folded:
    """A folded text, the original and, where folding moved anything, the way between them."""

    text: str
    original: str
    origins: npt.NDArray[np.int64] | None = None

    def span(self, begin: int, end: int) -> tuple[int, int] | None:
        """The original characters that were folded into these; None for part of a character.

        A combining accent belongs to the character before it.
        """
        if self.origins is None:
            return begin, end
        first, last = int(self.origins[begin]), int(self.origins[end - 1])
        if begin and self.origins[begin - 1] == first:
            return None
        if end < len(self.origins) and self.origins[end] == last:
            return None
        last += 1
        while last < len(self.original) and _is_accent(self.original[last]):
            last += 1
        return first, last


def fold(text: str) -> Folded:
    """A text folded for comparison.

    >>> fold("Sjögren’s").text, fold("ﬁbrosis").text, fold("Straße İ").text
    ("sjogren's", 'fibrosis', 'strasse i')
    """
    if text.isascii():
        return Folded(text.lower(), text)
    # What is not ASCII is rare, and folding it leaves nothing that lower() would change again.
    folded = _BEYOND_ASCII.sub(_folded, text).lower()
    if all(len(_TABLE[c]) == 1 for c in set(_BEYOND_ASCII.findall(text))):
        return Folded(folded, text)
    widths = [1 if c < "\x80" else len(_TABLE[c]) for c in text]
    return Folded(folded, text, np.repeat(np.arange(len(text)), widths))


def folded(text: str) -> str:
    """The text of `fold` alone, where the way back is not asked for."""
    return text.lower() if text.isascii() else fold(text).text


def _folded(match: re.Match[str]) -> str:
    return _TABLE[match[0]]
