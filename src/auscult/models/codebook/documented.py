"""Whether the words of a note document a code, or only remind of it.

The index has names for what is done at an encounter (*Examination, eye*) and for single things that
may cause an injury (*Noise*). In a note such words mostly mean something else.
"""

from __future__ import annotations

import re

from auscult.codes.locate.locator import LocatedTerm
from auscult.codes.lookup.terms import TermSource
from auscult.models.codebook.chapter_groups import REASON, chapter_group

_COMING = re.compile(
    r"\b(?:visit|encounter|here|presents?|presented|comes?|came|seen|admitted|admission|scheduled"
    r"|referred|reason) (?:in |to \w+ )?for\b[^.;\n]*$",
    re.IGNORECASE,
)
_BEFORE = 60


def is_documented(one: LocatedTerm, text: str, begin: int) -> bool:
    """Whether the words of a term, the first of which begins at a character, mean it."""
    if one.meaning is not None:
        return True
    best = one.terms[0]
    if best.source is TermSource.EXTERNAL_CAUSE:
        return len(one.tokens) > 1
    if best.source is TermSource.INDEX and chapter_group(best.code) == REASON:
        return _COMING.search(text, max(0, begin - _BEFORE), begin) is not None
    return not (best.source is TermSource.CLINICIANS and one.gap and one.cost)
