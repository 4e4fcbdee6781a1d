"""Brittleness: how far accuracy falls from a system's best subset to its worst.

A high accuracy over all spans may rest on a few concepts that are common and easy. Subsets of few
spans are left out: the fewer there are, the further chance alone spreads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auscult.core import Metric
from auscult.statistics.bootstrap import Floats

DEFINITION = "accuracy on the best subset − accuracy on the worst, of subsets of at least {0} spans"


@dataclass(frozen=True, slots=True)
class Brittleness:
    """The spread, and the subsets it lies between."""

    spread: Metric
    best: str | None
    worst: str | None
    highest: float | None = None
    """The accuracy on the best subset, for comparison with the spread."""

    @property
    def lost(self) -> float | None:
        """The spread as a share of the highest accuracy: 1 for a system that is at 0 somewhere.

        Undefined for a system that is never right.
        """
        if self.spread.value is None or not self.highest:
            return None
        return self.spread.value / self.highest

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "spread": self.spread.value,
            "interval": self.spread.interval,
            "best": self.best,
            "worst": self.worst,
            "highest": self.highest,
            "lost": self.lost,
            "undefined": self.spread.undefined,
        }


def spread(sums: Floats) -> Floats:
    """The highest ratio minus the lowest, of sums in pairs of columns: right and all.

    >>> spread(np.array([[9.0, 10.0, 1.0, 4.0, 0.0, 0.0]]))
    array([0.65])
    """
    right, number = sums[:, 0::2], sums[:, 1::2]
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(number == 0, np.nan, right / number)
    defined = (~np.isnan(values)).sum(axis=1) > 1
    found = np.full(len(values), np.nan)
    if defined.any():
        some = values[defined]
        found[defined] = np.nanmax(some, axis=1) - np.nanmin(some, axis=1)
    return found


def ends(
    names: Sequence[str], metrics: Sequence[Metric]
) -> tuple[str | None, str | None, float | None]:
    """The names of the best and the worst of metrics, the first among equals, and the best."""
    defined = [
        (m.value, name) for m, name in zip(metrics, names, strict=True) if m.value is not None
    ]
    if len(defined) < 2:
        return None, None, None
    best, worst = max(defined, key=lambda d: d[0]), min(defined, key=lambda d: d[0])
    return best[1], worst[1], best[0]
