"""Departments, which are in every hospital and name none: the Internal Medicine Department."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from auscult.deid.capitalized_words import CapitalizedWord
from auscult.deid.lexicon import lines

_HOSPITALS = frozenset(("hospital", "clinic", "infirmary", "hospice", "center", "centre"))
_NO_NAME = frozenset(("the", "university", *_HOSPITALS))


@cache
def general() -> frozenset[str]:
    """Words of departments and headings: a name made of nothing but these names no hospital."""
    return frozenset(lines("departments"))


@cache
def _fields() -> frozenset[str]:
    return frozenset(lines("fields"))


def without_departments(
    text: str, words: Sequence[CapitalizedWord], first: int, last: int
) -> int | None:
    """Where a name begins behind the departments before it; None if nothing else is there.

    Only words of a closed list make a department. `Dialysis Unit of Kestrel Hospital` begins
    with Kestrel; `Neurology Ward of Kestrel`, where no word tells what Kestrel is, stays whole.
    """
    begin = first
    for at in range(first, last + 1):
        if words[at].key not in _fields():
            break
        gap = text[words[at].end : words[at + 1].begin].split() if at < last else ["of"]
        if gap[:1] in (["of"], ["at"]):
            begin = at + 1
    rest = [word.key for word in words[begin : last + 1]]
    if begin > first and all(key in _NO_NAME for key in rest):
        return None
    named = any(key not in general() for key in rest) and rest[-1] in _HOSPITALS
    return begin if named else first
