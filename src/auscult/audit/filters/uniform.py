"""The uniform filter: words drawn uniformly from a vocabulary."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from auscult.audit.filters.contract import WordContext
from auscult.core import OptionError


@dataclass(frozen=True)
class UniformFilter:
    """Words of a vocabulary, drawn for each word of interest by itself, the same in all notes."""

    vocabulary: Sequence[str] = field(repr=False)
    number: int = 5
    seed: int = 0
    name: str = "uniform"

    def __post_init__(self) -> None:
        if len(self.vocabulary) <= self.number:
            raise OptionError(
                f"The uniform filter draws {self.number} words, but its vocabulary has only "
                f"{len(self.vocabulary)}. Give a larger vocabulary, or fewer replacements."
            )

    def propose(self, word: str, context: WordContext) -> Sequence[str]:
        """Drawn by the seed and the word alone."""
        dice = random.Random(f"{self.seed}/{word}")
        drawn: dict[str, None] = {}
        while len(drawn) < self.number:
            one = self.vocabulary[int(dice.random() * len(self.vocabulary))]
            if one.lower() != word.lower():
                drawn[one] = None
        return tuple(drawn)
