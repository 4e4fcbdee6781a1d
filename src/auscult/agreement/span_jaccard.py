"""Agreement on spans regardless of their codes: the Jaccard index of the marked spans.

The Jaccard index over spans, which match if their offsets are the same. Punctuation at their ends
is ignored, unless exact spans are asked for. A discontinuous span counts as one span.

Agrawal et al. 2020, "Robust Benchmarking for Machine Learning of Clinical Entity Extraction": two
annotators with 1,288 and 1,435 spans, 1,571 in all, so 1,152 in common: 0.73.
"""

from __future__ import annotations

import numpy as np

from auscult.agreement.ratings import Bools, Ratings
from auscult.agreement.resampling import measured, ratio
from auscult.core import Metric


def span_jaccard(spans: Ratings, *, times: int = 0, seed: int = 0) -> Metric:
    """Spans marked by both annotators divided by spans marked by either, over all pairs of
    annotators.

    `spans` are ratings whose units are spans; an annotator who did not mark one gave it no code.

    >>> both, first, second = [("A", "A")] * 1152, [("A", "")] * 136, [("", "A")] * 283
    >>> print(span_jaccard(Ratings.of(both + first + second)))
    span_jaccard = 0.733
    """
    spans = spans.shared()
    both, either = marked(spans)
    return measured(
        "span_jaccard",
        "spans marked by both annotators / spans marked by either, with equal offsets",
        ratio(
            spans.by_chart(both.sum(axis=1).astype(np.float64)),
            spans.by_chart(either.sum(axis=1).astype(np.float64)),
        ),
        spans.charts,
        why="no annotator marked a span in a chart that another annotator annotated",
        n=int((either.any(axis=1) * spans.copies).sum()),
        times=times,
        seed=seed,
    )


def marked(spans: Ratings) -> tuple[Bools, Bools]:
    """Which spans both and which either annotator of each pair marked (spans × pairs)."""
    by_annotator = np.where(spans.seen, spans.sizes[spans.sets], 0) > 0
    columns = [
        (spans.seen[:, one] & spans.seen[:, other], by_annotator[:, one], by_annotator[:, other])
        for one, other in spans.pairs()
    ]
    both = np.stack([a & b for _, a, b in columns], axis=1)
    either = np.stack([seen & (a | b) for seen, a, b in columns], axis=1)
    return both, either
