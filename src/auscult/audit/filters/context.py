"""The context filter: the words that a language model finds likeliest in the word's place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from auscult.audit.filters.contract import Context


class FillsGaps(Protocol):
    """A masked language model, as far as the filter needs to know."""

    def fills(self, contexts: Sequence[Context], number: int) -> list[list[str]]:
        """The likeliest words for each gap, the one that stood there not among them."""
        ...


@dataclass(frozen=True)
class InContext:
    """The likeliest fills of a model that is not the audited one, place by place."""

    model: FillsGaps = field(repr=False)
    number: int = 5
    name: str = "context"

    def propose(self, word: str, context: Context) -> Sequence[str]:
        """The fills of one place."""
        return self.model.fills([context], self.number)[0]

    def propose_all(self, asked: Sequence[tuple[str, Context]]) -> list[Sequence[str]]:
        """The fills of all places in one pass."""
        return list(self.model.fills([context for _, context in asked], self.number))
