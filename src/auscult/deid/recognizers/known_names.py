"""Names known from the patient's other notes or records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from auscult.deid.disambiguation import is_thing
from auscult.deid.lexicon import AMBIGUOUS, EPONYM, lexicon
from auscult.deid.phi_span import PhiKind, PhiPart, PhiSpan
from auscult.deid.recognizers.contract import NoteView
from auscult.deid.recognizers.name_cues import (
    COUNTED,
    LOWER_WORDS,
    PERSON_AFTER,
    SHORTEST,
)
from auscult.deid.recognizers.names import NameScan


def find_known(sight: NoteView, known: Mapping[str, PhiPart]) -> Iterator[PhiSpan]:
    """Where names that the rest of the chart has told are in this note.

    A name that is also a word or an eponym is taken only in the middle of a sentence, and an
    eponym is left to the review.
    """
    if not known:
        return
    reading = NameScan(sight)
    text = sight.text
    for at, word in enumerate(sight.words):
        part = known.get(word.key)
        if part is None or is_thing(text, word) or reading.is_heading(at):
            continue
        spelled = text[word.begin : word.end]
        if not word.flags & AMBIGUOUS:
            yield PhiSpan(word.begin, word.end, PhiKind.NAME, part)
        elif (
            spelled.istitle()
            and not reading.titles_around(at)
            and not COUNTED.match(text, word.end)
        ):
            person = PERSON_AFTER.match(text, word.end) is not None
            if person:
                yield PhiSpan(word.begin, word.end, PhiKind.NAME, part)
            elif reading.mid(at) and text[word.begin - 1] == " ":
                eponym = bool(word.flags & EPONYM)
                what = "eponym" if eponym else "word"
                doubt = (
                    "a name known from this patient's notes that is also "
                    f"{'an' if eponym else 'a'} {what}"
                )
                yield PhiSpan(word.begin, word.end, PhiKind.NAME, part, doubt, not eponym)
    lower = text.lower()
    flags = lexicon()
    for key, part in known.items():
        plain = not flags.get(key, 0) & AMBIGUOUS and key not in LOWER_WORDS
        if len(key) > SHORTEST and plain and len(lower) == len(text):
            begin = lower.find(key)
            while begin >= 0:
                end = begin + len(key)
                edges = text[max(0, begin - 1) : begin] + text[end : end + 1]
                if text[begin].islower() and not any(c.isalnum() or c in "@._-" for c in edges):
                    yield PhiSpan(begin, end, PhiKind.NAME, part)
                begin = lower.find(key, end)
