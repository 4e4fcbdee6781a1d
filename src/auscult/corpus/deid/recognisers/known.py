"""Names that the rest of a patient's notes, or the records, have told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from auscult.corpus.deid.disambiguation import is_thing
from auscult.corpus.deid.found import Found, Kind, Part
from auscult.corpus.deid.lexicon import AMBIGUOUS, EPONYM, lexicon
from auscult.corpus.deid.recognisers.contract import Sight
from auscult.corpus.deid.recognisers.name_cues import (
    COUNTED,
    LOWER_WORDS,
    PERSON_AFTER,
    SHORTEST,
)
from auscult.corpus.deid.recognisers.names import Reading


def find_known(sight: Sight, known: Mapping[str, Part]) -> Iterator[Found]:
    """Where names that the rest of the chart has told are in this note.

    A name that is also a word or an eponym is taken only in the middle of a sentence, and an
    eponym is left to the review.
    """
    if not known:
        return
    reading = Reading(sight)
    text = sight.text
    for at, word in enumerate(sight.words):
        part = known.get(word.key)
        if part is None or is_thing(text, word) or reading.is_heading(at):
            continue
        spelled = text[word.begin : word.end]
        if not word.flags & AMBIGUOUS:
            yield Found(word.begin, word.end, Kind.NAME, part)
        elif (
            spelled.istitle()
            and not reading.titles_around(at)
            and not COUNTED.match(text, word.end)
        ):
            person = PERSON_AFTER.match(text, word.end) is not None
            if person:
                yield Found(word.begin, word.end, Kind.NAME, part)
            elif reading.mid(at) and text[word.begin - 1] == " ":
                eponym = bool(word.flags & EPONYM)
                what = "eponym" if eponym else "word"
                doubt = (
                    f"a name of this patient's notes that is also {'an' if eponym else 'a'} {what}"
                )
                yield Found(word.begin, word.end, Kind.NAME, part, doubt, not eponym)
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
                    yield Found(begin, end, Kind.NAME, part)
                begin = lower.find(key, end)
