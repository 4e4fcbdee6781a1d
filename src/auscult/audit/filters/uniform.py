"""The uniform filter: any word of a vocabulary is as likely as any other."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from auscult.audit.filters.contract import Context
from auscult.core import OptionError


@dataclass(frozen=True)
class Uniform:
    """Words of a vocabulary, drawn for each word of interest by itself, the same in all notes."""

    vocabulary: Sequence[str] = field(repr=False)
    number: int = 5
    seed: int = 0
    name: str = "uniform"

    def __post_init__(self) -> None:
        if len(self.vocabulary) <= self.number:
            raise OptionError(
                f"The uniform filter draws {self.number} words, and its vocabulary has only "
                f"{len(self.vocabulary)}. Give a larger one, or fewer replacements."
            )

    def propose(self, word: str, context: Context) -> Sequence[str]:
        """Draw by the seed and the word alone."""
        dice = random.Random(f"{self.seed}/{word}")
        drawn: dict[str, None] = {}
        while len(drawn) < self.number:
            one = self.vocabulary[int(dice.random() * len(self.vocabulary))]
            if one.lower() != word.lower():
                drawn[one] = None
        return tuple(drawn)
