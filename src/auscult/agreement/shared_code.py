"""Agreement on the codes of common spans: at least one code in common.

Annotators may assign several concepts that all fit a span, so one in common is enough. Only spans
that both marked, with identical offsets, count.

Luo, Sun and Rumshisky 2019 (MCN) reported 67.4% before adjudication by this metric.
"""

from __future__ import annotations

import numpy as np

from auscult.agreement.ratings import Ratings
from auscult.agreement.resampling import measured, ratio
from auscult.agreement.similarity import in_common
from auscult.agreement.span_jaccard import marked
from auscult.core import Metric


def shared_code(spans: Ratings, *, times: int = 0, seed: int = 0) -> Metric:
    """The share of spans marked by both annotators that have a code in common, over all pairs.

    >>> print(shared_code(Ratings.of([("A", "AB"), ("A", "B"), ("AC", "CD"), ("A", "")])))
    shared_code = 0.667
    """
    spans = spans.shared()
    both, _ = marked(spans)
    agreed = np.zeros(both.shape)
    for at, (one, other) in enumerate(spans.pairs()):
        which = both[:, at]
        shared = in_common(spans, spans.sets[which, one], spans.sets[which, other])
        agreed[which, at] = shared > 0
    return measured(
        "shared_code",
        "spans with a code in common / spans marked by both annotators",
        ratio(
            spans.by_chart(agreed.sum(axis=1)),
            spans.by_chart(both.sum(axis=1).astype(np.float64)),
        ),
        spans.charts,
        why="no two annotators marked the same span",
        n=int((both.sum(axis=1) * spans.copies).sum()),
        times=times,
        seed=seed,
    )
