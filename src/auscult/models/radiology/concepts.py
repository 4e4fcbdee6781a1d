"""The conditions that short reports name, found in any of their synonyms."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from auscult.core import Code

Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConceptHit:
    """A concept, named by words `begin` up to `end`."""

    concept: str
    begin: int
    end: int


@dataclass(frozen=True)
class RadiologyConcepts:
    """Phrases and the concepts each names, and the codes that ICD's index lists for a concept."""

    by_first: dict[str, list[tuple[Phrase, tuple[str, ...]]]] = field(repr=False)
    codes: dict[str, tuple[Code, ...]] = field(repr=False)

    def find(self, words: Sequence[str]) -> Iterator[ConceptHit]:
        """The concepts that words name, the longest phrase at each place."""
        at = 0
        while at < len(words):
            step = 1
            for phrase, named in self.by_first.get(words[at], ()):
                if tuple(words[at : at + len(phrase)]) == phrase:
                    step = len(phrase)
                    for concept in named:
                        yield ConceptHit(concept, at, at + step)
                    break
            at += step


@cache
def packaged() -> RadiologyConcepts:
    """The concepts that come with Auscult.

    >>> [hit.concept for hit in packaged().find("followup of bilateral vur".split())]
    ['vesicoureteral_reflux']
    """
    text = files("auscult.models.radiology").joinpath("concepts.toml").read_text(encoding="utf-8")
    named: dict[Phrase, list[str]] = {}
    codes: dict[str, tuple[Code, ...]] = {}
    for concept, entry in tomllib.loads(text).items():
        for phrase in entry["phrases"]:
            named.setdefault(tuple(phrase.split()), []).append(concept)
        listed = (code.rpartition(" ") for code in entry.get("codes", ()))
        codes[concept] = tuple(Code(system, value) for system, _, value in listed)
    by_first: dict[str, list[tuple[Phrase, tuple[str, ...]]]] = {}
    for phrase in sorted(named, key=lambda phrase: (-len(phrase), phrase)):
        by_first.setdefault(phrase[0], []).append((phrase, tuple(named[phrase])))
    return RadiologyConcepts(by_first, codes)
