"""What codes are called, whichever table or vocabulary has them."""

from __future__ import annotations

from functools import lru_cache
from typing import TypedDict

from auscult.codes import CUI_LESS, describe, is_known
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code

_REMEMBERED = 20_000


class CodeName(TypedDict):
    """Whether a code is known, and its name."""

    known: bool | None
    name: str | None


class CodeNames:
    """Names of codes, from the tables of their systems or else from a vocabulary."""

    def __init__(self, vocabulary: Vocabulary | None) -> None:
        self._vocabulary = vocabulary
        self._about = lru_cache(_REMEMBERED)(self._look_up)

    def about(self, system: str, value: str) -> CodeName:
        """Whether the code is known (None when nothing could say), and what it is called."""
        known, name = self._about(system, value)
        return {"known": known, "name": name}

    def _look_up(self, system: str, value: str) -> tuple[bool | None, str | None]:
        code = Code(system, value)
        if value == CUI_LESS:
            return True, "no matching concept"
        known, name = is_known(code), describe(code)
        vocabulary = self._vocabulary
        if known is None and vocabulary is not None and system in vocabulary.manifest.systems:
            number = vocabulary.number_of(code)
            return number is not None, None if number is None else vocabulary.name_at(number)
        return known, name
