"""Type-ahead over the codes of a table: by the beginning of a code, or of words of its name."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from auscult.codes.table import CodeEntry, CodeTable

_WORD = re.compile(r"\w+")
_Numbers = npt.NDArray[np.int32]


class CodeIndex:
    """The codes of a table, found while they are being typed.

    Codes that begin as typed come first, in their order. Then those whose names have all the words,
    whole words before beginnings, short names before long ones.

    >>> codes = {"I509": "Heart failure", "R12": "Heartburn", "I51": "Heart disease, other"}
    >>> index = CodeIndex(CodeTable("ICD-10-CM", "mine", codes))
    >>> [entry.value for entry in index.search("heart", 9)]
    ['I50.9', 'I51', 'R12']
    >>> [entry.value for entry in index.search("dis heart", 9)], index.search("i5", 1)[0].value
    (['I51'], 'I50')
    """

    def __init__(self, table: CodeTable) -> None:
        entries = list(table)
        self._codes = [entry.value.replace(".", "") for entry in entries]
        self._entries = sorted(entries, key=lambda e: (len(e.description or ""), e.value))
        by_value = {entry.value: entry for entry in entries}
        self._in_order = [by_value[entry.value] for entry in entries]
        postings: dict[str, list[int]] = {}
        for number, entry in enumerate(self._entries):
            for word in set(_WORD.findall((entry.description or "").lower())):
                postings.setdefault(word, []).append(number)
        self._words = sorted(postings)
        self._postings = [np.array(postings[word], dtype=np.int32) for word in self._words]

    def search(self, typed: str, limit: int) -> list[CodeEntry]:
        """The first codes that fit."""
        found: dict[str, CodeEntry] = {}
        for entry in self._all(typed.lower()):
            found.setdefault(entry.value, entry)
            if len(found) >= limit:
                break
        return list(found.values())

    def _all(self, typed: str) -> Iterator[CodeEntry]:
        words = typed.split()
        if len(words) == 1:
            start = words[0].replace(".", "").upper()
            at = bisect_left(self._codes, start)
            while start and at < len(self._codes) and self._codes[at].startswith(start):
                yield self._in_order[at]
                at += 1
        words = _WORD.findall(typed)
        if words:
            for reading in (self._whole, self._begun):
                common = reading(words[0])
                for word in words[1:]:
                    common = np.intersect1d(common, reading(word), assume_unique=True)
                for number in common.tolist():
                    yield self._entries[number]

    def _whole(self, word: str) -> _Numbers:
        at = bisect_left(self._words, word)
        there = at < len(self._words) and self._words[at] == word
        return self._postings[at] if there else np.zeros(0, dtype=np.int32)

    def _begun(self, word: str) -> _Numbers:
        first = bisect_left(self._words, word)
        last = bisect_left(self._words, word + "\U0010ffff")
        some = self._postings[first:last]
        return np.unique(np.concatenate(some)) if some else np.zeros(0, dtype=np.int32)
