"""Counts of what two sides share: the base of precision, recall and F1."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """True positives, false positives and false negatives; counts of several charts add up.

    A ratio with nothing to divide by is None: a model that predicts nothing has no precision.

    >>> counts = Counts.of({"a", "b", "c"}, {"b", "c", "d", "e"})
    >>> counts, counts.precision, counts.recall
    (Counts(tp=2, fp=2, fn=1), 0.5, 0.6666666666666666)
    >>> (counts + Counts(1, 0, 0)).f1
    0.6666666666666666
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0

    @classmethod
    def of(cls, gold: AbstractSet[object], predicted: AbstractSet[object]) -> Counts:
        """The counts of two sets of keys."""
        shared = len(gold & predicted)
        return cls(shared, len(predicted) - shared, len(gold) - shared)

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def precision(self) -> float | None:
        """TP / (TP + FP): the share of what was predicted that is right."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        """TP / (TP + FN): the share of what was to be found that was found."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float | None:
        """2TP / (2TP + FP + FN), the harmonic mean of the two."""
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
