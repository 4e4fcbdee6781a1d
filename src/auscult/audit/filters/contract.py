"""The contract of a replacement filter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from auscult.core import Note


@dataclass(frozen=True, slots=True)
class WordContext:
    """The place of the word that is to be replaced."""

    note: Note
    begin: int
    end: int


class ReplacementFilter(Protocol):
    """Proposes replacements for a word. Each is applied by itself, and the changes are averaged."""

    @property
    def name(self) -> str:
        """The name in reports."""
        ...

    def propose(self, word: str, context: WordContext) -> Sequence[str]:
        """The replacements for a word at a place, without the word itself."""
        ...


@runtime_checkable
class ProposesTogether(Protocol):
    """A filter that is faster when asked for all places at once."""

    def propose_all(self, asked: Sequence[tuple[str, WordContext]]) -> list[Sequence[str]]:
        """The replacements for each word at each place."""
        ...
