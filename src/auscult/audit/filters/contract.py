"""What a filter is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from auscult.core import Note


@dataclass(frozen=True, slots=True)
class Context:
    """Where the word stands that is to be replaced."""

    note: Note
    begin: int
    end: int


class Filter(Protocol):
    """Proposes replacements for a word. Each is applied by itself, and the changes are averaged."""

    @property
    def name(self) -> str:
        """What the report calls it."""
        ...

    def propose(self, word: str, context: Context) -> Sequence[str]:
        """The replacements for a word at a place, the original not among them."""
        ...


@runtime_checkable
class ProposesTogether(Protocol):
    """A filter that is quicker when asked for all places at once."""

    def propose_all(self, asked: Sequence[tuple[str, Context]]) -> list[Sequence[str]]:
        """The replacements for each word at each place."""
        ...
