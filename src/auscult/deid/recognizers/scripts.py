"""Words in another script than the note's: in a note in Latin letters they are names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from auscult.deid.phi_span import PhiKind, PhiPart, PhiSpan
from auscult.deid.recognizers.contract import NoteView

# Cyrillic, Hebrew, Arabic, the scripts of India, Thai, Japanese, Chinese, Korean. Greek letters
# are signs of medicine.
_LETTER = "[\u0400-\u052f\u0590-\u06ff\u0900-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_WORDS = re.compile(rf"{_LETTER}+(?:[·-]{_LETTER}+)*")
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.?\s*$")
_MOST = 0.5


class ScriptRecognizer:
    """Words in another script than Latin."""

    name = "scripts"

    def find(self, sight: NoteView) -> Iterator[PhiSpan]:
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
                yield PhiSpan(begin, end, PhiKind.NAME, PhiPart.SURNAME, doubt)
