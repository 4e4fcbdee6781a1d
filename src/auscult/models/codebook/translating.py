"""The code book's codes in another revision, by the General Equivalence Mappings, or release."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from auscult.codes.gems import packaged_gems
from auscult.codes.lookup.descent import Descent
from auscult.codes.mapping import map_code
from auscult.codes.table import CodeTable
from auscult.core import Code

BOOK = "ICD-10-CM"
_MAPPED = "ICD-9-CM"

Translation = Callable[[str], Code | None]
"""From a code of ICD-10-CM to that of another system, or None where it has none."""


def same(value: str) -> Code:
    """The code itself."""
    return Code(BOOK, value)


def translation_to(systems: Iterable[str]) -> Translation | None:
    """How to say codes in one of these systems; None if the code book does not lead to any.

    ICD-10-CM goes before ICD-9-CM, which the mappings lead to.
    """
    there = frozenset(systems)
    if BOOK in there:
        return same
    return _to_icd9 if _MAPPED in there else None


def in_release(table: CodeTable) -> Translation:
    """How to say codes in another release: a code that it lacks is said by the heading above it.

    Charts are coded in the release of their discharge: R51.9, of 2021, was R51 before.
    """
    descent = Descent(table)

    def translate(value: str) -> Code | None:
        there = value if value in table else table.parent(value)
        return None if there is None else same(descent.default(there))

    return lru_cache(maxsize=100_000)(translate)


@lru_cache(maxsize=100_000)
def _to_icd9(value: str) -> Code | None:
    return map_code(same(value), packaged_gems(BOOK, _MAPPED)).code
