"""Partial credit along the hierarchy, for the first predicted concept.

Two ways, both 1 for a right concept and never for another:

- `hierarchy_path`: half of the credit for each step up or down, if one concept is an ancestor of
  the other; otherwise none.
- `hierarchy_f1`: F1 of the two concepts with the ancestors of each, without the roots
  (Kiritchenko, Matwin and Famili 2005, "Functional annotation of genes using hierarchical text
  categorization"). Concepts with a common ancestor deep in the hierarchy score high; read it
  beside the other.

Of several gold concepts the nearest counts.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import numpy as np

from auscult.core import Code
from auscult.evaluate.entities.linking import Answers
from auscult.evaluate.entities.marked_spans import NONE, MarkedSpans
from auscult.evaluate.entities.terminology import Terminology
from auscult.statistics.bootstrap import Floats

RULES = {
    "hierarchy_path": (
        "½ for each step up or down from the first predicted concept to a gold concept "
        "above or below it; 0 for others"
    ),
    "hierarchy_f1": (
        "2|A ∩ B| / (|A| + |B|), A and B being the first predicted concept and a gold "
        "concept, each with all its ancestors but the roots"
    ),
}


def credit(
    gold: MarkedSpans, given: Answers, right: Floats, terminology: Terminology
) -> dict[str, Floats]:
    """The score of each gold span by each of `RULES`; `right` are spans whose first is right."""
    path, shared = right.copy(), right.copy()
    held = gold.concepts_of()
    seen: dict[tuple[int, int], tuple[float, float]] = {}
    first = given.first.tolist()
    for span in np.flatnonzero((right == 0) & (given.first > NONE)).tolist():
        for concept in held[span]:
            if concept == NONE:
                continue
            pair = (concept, first[span])
            if pair not in seen:
                seen[pair] = nearness(
                    terminology.above(pair[0]), terminology.above(pair[1]), terminology.roots
                )
            path[span] = max(path[span], seen[pair][0])
            shared[span] = max(shared[span], seen[pair][1])
    return {"hierarchy_path": path, "hierarchy_f1": shared}


def nearness(
    one: dict[Code, int], other: dict[Code, int], roots: AbstractSet[Code]
) -> tuple[float, float]:
    """The two credits of concepts, each given with all above it and how many steps up that is.

    >>> root, lung, asthma, copd = (Code("x", v) for v in ("root", "lung", "asthma", "copd"))
    >>> nearness({asthma: 0, lung: 1, root: 2}, {lung: 0, root: 1}, {root})
    (0.5, 0.6666666666666666)
    >>> nearness({asthma: 0, lung: 1, root: 2}, {copd: 0, lung: 1, root: 2}, {root})
    (0.0, 0.5)
    """
    mine, theirs = next(iter(one)), next(iter(other))
    steps = other.get(mine, one.get(theirs))
    below, below_other = one.keys() - roots, other.keys() - roots
    size = len(below) + len(below_other)
    return (
        0.0 if steps is None else 0.5**steps,
        2 * len(below & below_other) / size if size else 0.0,
    )
