"""Words reduced to their stems."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from auscult.core.names import require_known


class _Stemmers(threading.local):
    """The stemmers of a thread: one keeps the word that it is at work on, so it is not shared."""

    def __init__(self) -> None:
        self.by_language: dict[str, Any] = {}


_stemmers = _Stemmers()


def _stemmer(language: str) -> Any:
    found = _stemmers.by_language.get(language)
    if found is None:
        import Stemmer

        require_known(language, Stemmer.algorithms(), "language")
        found = _stemmers.by_language[language] = Stemmer.Stemmer(language)
    return found


def check_language(language: str) -> None:
    """An error for a language that has no stemmer."""
    _stemmer(language)


@lru_cache(maxsize=100_000)
def stem(word: str, language: str) -> str:
    """The stem of one folded word.

    >>> stem("exacerbations", "english"), stem("exacerbated", "english")
    ('exacerb', 'exacerb')
    """
    found: str = _stemmer(language).stemWord(word)
    return found


def stem_all(words: Iterable[str], language: str) -> list[str]:
    """The stems of many words."""
    found: list[str] = _stemmer(language).stemWords(list(words))
    return found
