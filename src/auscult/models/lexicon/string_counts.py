"""How often a string occurs in the training text, and how often it was evidence for a code.

During training, the counts of a chart's own fold are subtracted, so that a string seen once does
not look reliable because of that very chart.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from math import log1p

PRIOR = 0.3
"""The prior precision of a string."""


@dataclass
class StringCount:
    """Occurrences of a string, how many were evidence at all, and for which codes."""

    times: int = 0
    hits: int = 0
    codes: dict[int, int] = field(default_factory=dict)

    def add(self, codes: list[int]) -> None:
        """Count one occurrence, which was evidence for `codes`."""
        self.times += 1
        self.hits += bool(codes)
        for code in codes:
            self.codes[code] = self.codes.get(code, 0) + 1


class StringCounts:
    """Counts of strings, in all and fold by fold."""

    def __init__(self) -> None:
        self.whole: dict[str, StringCount] = {}
        self._parts: dict[tuple[str, int], StringCount] = defaultdict(StringCount)

    def add(self, string: str, codes: list[int], fold: int) -> None:
        """Count one occurrence in a chart of a fold."""
        self.whole.setdefault(string, StringCount()).add(codes)
        self._parts[string, fold].add(codes)

    def forget_folds(self) -> None:
        """Keep only the whole, without strings that occurred once and were nothing."""
        self._parts.clear()
        self.whole = {
            string: count for string, count in self.whole.items() if count.times > 1 or count.hits
        }

    def describe(
        self, string: str, code: int, expected: float, without: int | None
    ) -> tuple[float, float, float, float, float]:
        """Smoothed precision, log of occurrences and of hits, share of hits, share of the code."""
        whole = self.whole.get(string, _NOTHING)
        part = _NOTHING if without is None else self._parts.get((string, without), _NOTHING)
        times = whole.times - part.times
        hits = whole.hits - part.hits
        right = whole.codes.get(code, 0) - part.codes.get(code, 0)
        return (
            (right + expected) / (times + 1),
            log1p(times),
            log1p(right),
            hits / (times + 0.5),
            (right + 0.2) / (hits + 0.4),
        )


_NOTHING = StringCount()
