"""Where a sentence begins or a thing is meant, though a name could go on there.

After an initial both are possible: `Dr. A. White saw her`, `Dr. A. White count rose`. An article
stands before things that are called after people, hardly ever before people: `the Duarte variant`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from auscult.deid.capitalized_words import CapitalizedWord
from auscult.deid.lexicon import FUNCTION, NAME, WORD, country_parts, is_country, is_ordinary
from auscult.deid.recognizers.name_cues import ARTICLES

# What follows a surname: the end of something, a word between phrases, or what a person does.
_BETWEEN = "and|or|of|in|on|at|to|for|from|with|as|by|who|is|was|has|had|will|would|may|can"
_AFTER_SURNAME = re.compile(
    rf"""(?:['’]s?)?(?:\s*(?:[.,;:)\]/(]|$)
    |\s+(?:(?:{_BETWEEN}|does|did|also|then|today|this|regarding|about|via|per|re
    |\w+ed|saw|sees|felt|feels|thinks|thought|spoke|came|took|gave|put|made|told|went|began
    |agrees|recommends|plans|notes|states|says|wants|knows|aware|here|there|again|after
    |before)\b))""",
    re.VERBOSE,
)
_NOUN = re.compile(
    rf"""['’]?[\s-]+(?!(?:famil(?:y|ies)|residence|home|house|household|estate|brothers|sisters
    |boys?|girls?|twins|baby|couple|kids|children|{_BETWEEN})\b)[a-z]{{3,}}""",
    re.VERBOSE,
)


def begins_sentence(text: str, gap: str, after: CapitalizedWord) -> bool:
    """Whether a word behind an initial begins a sentence instead of being the surname."""
    if after.flags & FUNCTION or "." not in gap:
        return bool(after.flags & FUNCTION)
    if len(after.key) == 1:
        return text[after.end : after.end + 1] != "."  # an article: Dr. A. A scan showed
    if not after.flags & NAME:
        return is_ordinary(after.key, after.flags)
    return bool(after.flags & WORD) and _AFTER_SURNAME.match(text, after.end) is None


def is_called_after(text: str, word: CapitalizedWord) -> bool:
    """Whether a name stands between an article and a noun, as an eponym does."""
    return word.before in ARTICLES and _NOUN.match(text, word.end) is not None


def in_country(words: Sequence[CapitalizedWord], at: int) -> bool:
    """Whether a word is part of a country of two words, such as Sierra Leone."""
    if words[at].key not in country_parts():
        return False
    pairs = pairwise(words[max(0, at - 1) : at + 2])
    return any(
        one.end + 1 == two.begin and is_country(f"{one.key} {two.key}") for one, two in pairs
    )
