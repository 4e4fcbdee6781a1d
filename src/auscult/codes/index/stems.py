"""Words reduced to their stems."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

from auscult.core.names import require_known


@cache
def _stemmer(language: str) -> Any:
    import snowballstemmer

    require_known(language, snowballstemmer.algorithms(), "language")
    return snowballstemmer.stemmer(language)


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
