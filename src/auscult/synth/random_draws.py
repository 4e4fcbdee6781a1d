"""Random draws that are identical on every machine.

Python promises that `random.Random(seed).random()` gives the same sequence in every version; it
promises that of no other method. Everything here is built on that one, with additions,
multiplications and comparisons of floats, which IEEE 754 fixes to the last bit. Nothing calls the
C library's `exp` or `log`, whose last digit differs between machines, nor `sum` on floats, which
rounds otherwise since Python 3.12; `fsum` is exact in all.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from math import fsum
from typing import TypeVar

T = TypeVar("T")


class RandomDraws:
    """A seeded random generator. The seed is a string; equal strings give equal draws.

    >>> RandomDraws("0:7").below(100) == RandomDraws("0:7").below(100)
    True
    """

    __slots__ = ("_seed", "random")

    def __init__(self, seed: str) -> None:
        self._seed = seed
        digest = hashlib.sha256(seed.encode()).digest()
        self.random = random.Random(int.from_bytes(digest[:16], "big")).random

    def fork(self, name: str) -> RandomDraws:
        """An independent generator for one purpose: its draws do not affect this one."""
        return RandomDraws(f"{self._seed}/{name}")

    def chance(self, share: float) -> bool:
        """True in `share` of all draws."""
        return self.random() < share

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        return int(self.random() * n)

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self.random() * (high - low + 1))

    def real(self, low: float, high: float) -> float:
        """A number from low up to high."""
        return low + self.random() * (high - low)

    def bell(self) -> float:
        """A number around 0 with variance 1, nearly normal: a sum of twelve draws."""
        throw = self.random
        return fsum(throw() for _ in range(12)) - 6.0

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[int(self.random() * len(items))]

    def weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        """One of the items, as often as its weight says."""
        at = self.random() * fsum(weights)
        for item, weight in zip(items, weights, strict=True):
            at -= weight
            if at < 0:
                return item
        return items[-1]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in another order."""
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = int(self.random() * (last + 1))
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed

    def some(self, items: Sequence[T], n: int) -> list[T]:
        """Up to n different ones of the items."""
        return self.shuffled(items)[:n]


def logistic(log_odds: float) -> float:
    """The probability that has these log-odds, by arithmetic that is the same everywhere.

    >>> logistic(0.0), round(logistic(-2.5), 2)
    (0.5, 0.08)
    """
    power = 1.0 + max(-30.0, min(30.0, log_odds)) / 4096.0
    for _ in range(12):  # (1 + x/4096)^4096, near enough to e^x
        power *= power
    return power / (1.0 + power)
