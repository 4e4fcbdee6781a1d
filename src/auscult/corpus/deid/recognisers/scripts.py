"""Words in another script than the note's: in a note in Latin letters they are names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from auscult.corpus.deid.found import Found, Kind, Part
from auscult.corpus.deid.recognisers.contract import Sight

# Cyrillic, Hebrew, Arabic, the scripts of India, Thai, Japanese, Chinese, Korean. Greek letters
# are signs of medicine.
_LETTER = "[\u0400-\u052f\u0590-\u06ff\u0900-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_WORDS = re.compile(rf"{_LETTER}+(?:[·-]{_LETTER}+)*")
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.?\s*$")
_MOST = 0.5


class Scripts:
    """Words in another script than Latin."""

    name = "scripts"

    def find(self, sight: Sight) -> Iterator[Found]:
        """The words in another script, unless the note is written in it."""
        text = sight.text
        if text.isascii():
            return
        found = [match.span() for match in _WORDS.finditer(text)]
        if not found:
            return
        most = _MOST * sum(map(str.isalpha, text))
        is_own = sum(end - begin for begin, end in found) > most
        for begin, end in found:
            titled = _TITLE.search(text[max(0, begin - 8) : begin]) is not None
            if titled or not is_own:
                doubt = "" if titled else "a word in another script"
                yield Found(begin, end, Kind.NAME, Part.SURNAME, doubt)
