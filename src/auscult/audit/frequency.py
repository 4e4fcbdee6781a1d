"""Whether words rank high only because they are frequent.

Replacing every occurrence changes the score more the more there are, so ranks follow frequency (the
paper's figures 1 and 2: r = −0.60 and −0.62). Replacing only the first does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auscult.audit.sensitivity import Sensitivity
from auscult.audit.trial_table import Floats
from auscult.core import Metric

_NAMES = {"first": "one-swap", "all": "multiple-swap"}
_DEFINITION = "Pearson's correlation of sensitivity rank and number of occurrences"


@dataclass(frozen=True, slots=True, eq=False)
class Frequency:
    """The ranks and counts of words, for one way of swapping."""

    name: str
    counts: Floats = field(repr=False)
    ranks: Floats = field(repr=False)
    pearson: Metric

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"swap": self.name, "pearson": self.pearson.to_dict()}


def frequency(found: Sensitivity) -> Frequency:
    """Correlate rank and frequency: below 0, frequent words rank higher."""
    words = found.ranked()
    counts = np.array([word.coverage.occurrences for word in words], np.float64)
    placed = np.array([word.rank for word in words], np.float64)
    name = _NAMES[found.swap]
    if len(words) < 3 or np.ptp(counts) == 0 or np.ptp(placed) == 0:
        why = (
            "all words have the same count or the same rank"
            if len(words) < 3
            else "all words are alike"
        )
        metric = Metric("pearson", _DEFINITION, undefined=why, n=len(words))
    else:
        value = float(np.corrcoef(counts, placed)[0, 1])
        metric = Metric("pearson", _DEFINITION, value, n=len(words))
    return Frequency(name, counts, placed, metric)
