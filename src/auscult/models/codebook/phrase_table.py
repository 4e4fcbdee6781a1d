"""Small tables of phrases and codes that come with the model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from auscult.codes.locate.note_words import NoteWords
from auscult.core import Span


class PhraseTable:
    """Phrases with a code each, found in a text wherever they stand as whole words."""

    def __init__(self, codes: dict[str, str]) -> None:
        self._codes = codes
        self._first_words = frozenset(re.split(r"\W+", name)[0] for name in codes)
        names = sorted(codes, key=lambda name: (-len(name), name))
        words = "|".join(re.escape(name).replace(r"\ ", r"[\s-]+") for name in names)
        self._pattern = re.compile(rf"\b(?:{words})\b", re.IGNORECASE)

    def find(self, text: str, words: NoteWords) -> Iterator[tuple[Span, str]]:
        """Where each phrase stands in a text that has these words, and its code."""
        if words.said.isdisjoint(self._first_words):
            return
        end = 0
        for folded, begin, _ in words.tokens:
            if folded in self._first_words and begin >= end:
                match = self._pattern.match(text, begin)
                if match is not None:
                    end = match.end()
                    yield Span(begin, end), self._codes[_plain(match[0])]


@cache
def phrase_table(name: str) -> PhraseTable:
    """A table whose rows have phrases, divided by `|`, and their code."""
    return PhraseTable(
        {_plain(phrase): code for phrases, code in rows(name) for phrase in phrases.split("|")}
    )


def rows(name: str) -> list[list[str]]:
    """The rows of a table of this package, without its header."""
    text = files("auscult.models.codebook").joinpath(name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()[1:]]


def _plain(phrase: str) -> str:
    return " ".join(re.split(r"[\s-]+", phrase.lower()))
