"""The lists of words and of beginnings of codes that the rules go by."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


def code_list(name: str) -> tuple[str, ...]:
    """The beginnings of codes that a list has."""
    return _lists()["codes"][name]


def word_list(name: str) -> frozenset[str]:
    """The words that a list has."""
    return frozenset(_lists()["words"][name])


@cache
def _lists() -> dict[str, dict[str, tuple[str, ...]]]:
    text = files("auscult.models.codebook").joinpath("lists.toml").read_text(encoding="utf-8")
    return {
        kind: {name: tuple(listed) for name, listed in lists.items()}
        for kind, lists in tomllib.loads(text).items()
    }
