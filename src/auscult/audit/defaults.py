"""The filters of the paper, prepared for the given charts."""

from __future__ import annotations

from collections.abc import Sequence

from auscult.audit.filters import (
    ChartWordCounts,
    FrequentWordFilter,
    ReplacementFilter,
    UniformFilter,
)
from auscult.audit.trials import Occurrences

_IN_CHARTS = 3
"""Minimum number of charts with a word for the uniform filter: rarer words are mostly errors."""


def usual_filters(
    found: Occurrences,
    *,
    number: int = 5,
    seed: int = 0,
    vocabulary: Sequence[str] | None = None,
    context: ReplacementFilter | None = None,
) -> list[ReplacementFilter]:
    """Uniform over a vocabulary (the words of the charts, unless given), 1-gram, and context.

    The context filter needs a masked language model, so it is included only if one is given.
    """
    counted = ChartWordCounts.of(found.charts)
    words = list(vocabulary) if vocabulary is not None else []
    least = min(_IN_CHARTS, max(1, len(found.charts) // 10))
    having = {word: places.keys() for word, places in found.places.items()}
    return [
        UniformFilter(words or counted.common(least), number, seed),
        FrequentWordFilter.of(counted, having, number),
        *([] if context is None else [context]),
    ]
