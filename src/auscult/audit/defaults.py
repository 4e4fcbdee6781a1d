"""The filters of the paper, made ready for the charts at hand."""

from __future__ import annotations

from collections.abc import Sequence

from auscult.audit.filters import Counted, Filter, Frequent, Uniform
from auscult.audit.trials import Occurrences

_IN_CHARTS = 3
"""Charts that a word must be in to be drawn by the uniform filter: rarer ones are mostly slips."""


def usual_filters(
    found: Occurrences,
    *,
    number: int = 5,
    seed: int = 0,
    vocabulary: Sequence[str] | None = None,
    context: Filter | None = None,
) -> list[Filter]:
    """Uniform over a vocabulary (the words of the charts, unless given), 1-gram, and context.

    The context filter needs a masked language model, so it is there only when it is given.
    """
    counted = Counted.of(found.charts)
    words = list(vocabulary) if vocabulary is not None else []
    least = min(_IN_CHARTS, max(1, len(found.charts) // 10))
    having = {word: places.keys() for word, places in found.places.items()}
    return [
        Uniform(words or counted.common(least), number, seed),
        Frequent.of(counted, having, number),
        *([] if context is None else [context]),
    ]
