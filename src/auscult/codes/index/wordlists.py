"""The lists of words that come with Auscult."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


@cache
def _lists() -> dict[str, dict[str, str]]:
    file = files("auscult.codes.index").joinpath("wordlists.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def stop_words(language: str) -> frozenset[str]:
    """The words that say nothing about a name, folded; none for languages without a list."""
    return frozenset(_lists()["stop"].get(language, "").split())


@cache
def ordinary_words(language: str) -> frozenset[str]:
    """Short words that may look like abbreviations where case says nothing."""
    return frozenset(_lists()["ordinary"].get(language, "").split())
