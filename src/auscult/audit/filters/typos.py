"""The typo filter: common typing errors."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from auscult.audit.filters.contract import WordContext

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_BESIDE = {
    letter: row[max(0, at - 1) : at] + row[at + 1 : at + 2]
    for row in _ROWS
    for at, letter in enumerate(row)
}


@dataclass(frozen=True)
class TypoFilter:
    """One letter left out, doubled, exchanged with the next, or its neighbor on the keyboard."""

    number: int = 5
    seed: int = 0
    name: str = "typing error"

    def propose(self, word: str, context: WordContext) -> Sequence[str]:
        """Drawn by the seed and the word alone; short words have few misspellings.

        >>> from auscult.core import Note
        >>> TypoFilter(3).propose("sepsis", WordContext(Note("n", "c"), 0, 0))
        ('sepssis', 'sepais', 'seppsis')
        """
        every = sorted(_misspellings(word) - {word.lower(), word})
        dice = random.Random(f"{self.seed}/{word}")
        order = sorted(every, key=lambda _: dice.random())
        return tuple(order[: self.number])


def _misspellings(word: str) -> set[str]:
    made = set()
    for at, letter in enumerate(word):
        if not letter.isalpha():
            continue
        before, after = word[:at], word[at + 1 :]
        made |= {before + after, before + letter * 2 + after}
        made |= {before + other + after for other in _BESIDE.get(letter.lower(), "")}
        if after[:1].isalpha():
            made.add(before + after[0] + letter + after[1:])
    return {one for one in made if one.strip()}
