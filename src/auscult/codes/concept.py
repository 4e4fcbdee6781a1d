"""A concept: a code with everything it is called."""

from __future__ import annotations

from dataclasses import dataclass

from auscult.core import Code


@dataclass(frozen=True, slots=True)
class Synonym:
    """One string a concept is called by, where it comes from, and what kind of string it is.

    `source` is the terminology that says so (`SNOMEDCT_US`), `term_type` its kind there (`PT`,
    `EXACT`). `count` is how often a corpus used the string for the concept; 0 when none was asked.
    """

    text: str
    source: str = ""
    term_type: str = ""
    count: int = 0


@dataclass(frozen=True, slots=True)
class Concept:
    """A code, its preferred name, its synonyms, its semantic types and its relatives.

    `synonyms` may or may not repeat the name. `xrefs` are the same concept's codes in other
    systems, `parents` the values of its parents' codes.
    """

    code: Code
    name: str
    synonyms: tuple[Synonym, ...] = ()
    types: tuple[str, ...] = ()
    xrefs: tuple[Code, ...] = ()
    parents: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The value of its code."""
        return self.code.value

    @property
    def sources(self) -> tuple[str, ...]:
        """The terminologies its synonyms come from, each once."""
        return tuple(dict.fromkeys(s.source for s in self.synonyms if s.source))
