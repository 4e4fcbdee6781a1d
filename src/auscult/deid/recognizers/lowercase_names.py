"""Names in small letters: two that stand together, or one where a name must stand.

Without a capital only what follows a title is certain; the others go to the review.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from auscult.deid.lexicon import (
    AMBIGUOUS,
    GIVEN,
    RARE,
    SURNAME,
    WORD,
    folded,
    is_place,
    lexicon,
)
from auscult.deid.phi_span import PhiKind, PhiPart, PhiSpan
from auscult.deid.recognizers.contract import NoteView
from auscult.deid.recognizers.name_cues import KIN, LOWER_TITLE, LOWER_WORDS

_EDGES = frozenset(" \t\r\n,.;:()[]\"'’?!")
_BEFORE = re.compile(
    rf"""(?:\b(?:by|per|nurse|rn|pt|patient|named|called|dear|attending|resident|signed|author
    |{"|".join(sorted(KIN, key=len, reverse=True))})|\b(?:d/w|w/))[ ]?[:,(]?[ ]$""",
    re.VERBOSE,
)
_NEXT = re.compile(r" (?:[a-z]\.? )?([a-z][a-z'’-]{2,})\b")
_CREDENTIAL = re.compile(r",? (?:([a-z])\.?,? )?(?:md|rn|np|do|phd|lpn|pa-c|licsw)\b")
_PAIR, _CUED = "two words that may be a name", "a word that may be a name"
_SHORTEST = 4


class LowercaseNameRecognizer:
    """Names without a capital."""

    name = "small names"

    def find(self, sight: NoteView) -> Iterator[PhiSpan]:
        """The words in small letters that are or may be names."""
        text = sight.text
        spaced = text.replace(",", " ").replace(".", " ").replace(":", " ")
        for word in _names().intersection(spaced.split()):
            begin = text.find(word)
            while begin >= 0:
                end = begin + len(word)
                around = text[max(0, begin - 1) : begin] + text[end : end + 1]
                if _EDGES.issuperset(around):
                    yield from _found(text, begin, end, word)
                begin = text.find(word, end)
        known = lexicon()
        for match in LOWER_TITLE.finditer(text):
            flags = known.get(folded(match[1]), 0)
            if flags & SURNAME and not flags & WORD:
                yield PhiSpan(*match.span(1), PhiKind.NAME, PhiPart.SURNAME)


def _found(text: str, begin: int, end: int, word: str) -> Iterator[PhiSpan]:
    known = lexicon()
    flags = known[word]
    part = PhiPart.GIVEN if flags & GIVEN else PhiPart.SURNAME
    if flags & GIVEN:
        after = _NEXT.match(text, end)
        surname = 0 if after is None else known.get(after[1], 0)
        if after is not None and surname & SURNAME and not surname & AMBIGUOUS:
            yield PhiSpan(begin, end, PhiKind.NAME, part, _PAIR)
            yield PhiSpan(*after.span(1), PhiKind.NAME, PhiPart.SURNAME, _PAIR)
            return
    if word in LOWER_WORDS:
        return
    credential = _CREDENTIAL.match(text, end)
    if credential is not None:
        yield PhiSpan(begin, end, PhiKind.NAME, part, _CUED)
        if credential[1]:
            yield PhiSpan(*credential.span(1), PhiKind.NAME, PhiPart.INITIAL, _CUED)
    elif _BEFORE.search(text, max(0, begin - 24), begin):
        yield PhiSpan(begin, end, PhiKind.NAME, part, _CUED)


@cache
def _names() -> frozenset[str]:
    """Given names and surnames that are nothing else."""
    return frozenset(
        name
        for name, flags in lexicon().items()
        if len(name) >= _SHORTEST
        and not flags & AMBIGUOUS
        and not is_place(name)
        and (flags & SURNAME or (flags & GIVEN and not flags & RARE))
    )
