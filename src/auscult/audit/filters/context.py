"""The context filter: the words that a masked language model finds most likely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from auscult.audit.filters.contract import WordContext


class FillsMasks(Protocol):
    """A masked language model, as far as the filter needs one."""

    def fills(self, contexts: Sequence[WordContext], number: int) -> list[list[str]]:
        """The most likely words for each masked place, without the original word."""
        ...


@dataclass(frozen=True)
class ContextFilter:
    """The most likely words by a model that is not the audited one, for each place."""

    model: FillsMasks = field(repr=False)
    number: int = 5
    name: str = "context"

    def propose(self, word: str, context: WordContext) -> Sequence[str]:
        """The fills of one place."""
        return self.model.fills([context], self.number)[0]

    def propose_all(self, asked: Sequence[tuple[str, WordContext]]) -> list[Sequence[str]]:
        """The fills of all places in one pass."""
        return list(self.model.fills([context for _, context in asked], self.number))
