"""Which charts the weights of a code are fitted on, where there are more than can be used at once.

Codes on many charts are fitted on every part of a partition of the charts, and the weights are
averaged. Rarer ones are fitted in groups of neighbors in the code system: on all charts with one
of these codes, so that the charts of similar codes are among the negatives, and as many others.

Zhang, Duchi & Wainwright 2015, "Divide and conquer kernel ridge regression".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_LOOKED_AT = 8
"""Number of groups of rarer codes that predict their own charts; the scale of scores needs few."""

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ChartSample:
    """Charts, and the codes that are fitted on them.

    A chart stands for `weights` charts of the corpus. `is_shared` tells that the codes are in other
    samples too, `looked_at` for how many samples like this one its predictions of its own charts
    stand; 0 if they are not needed.
    """

    codes: Places
    charts: Places
    weights: npt.NDArray[np.float64]
    is_shared: bool = False
    looked_at: float = 1.0


def chart_samples(
    gold: Sequence[Places], codes: Sequence[Places], most: int, seed: int
) -> list[ChartSample]:
    """Samples of at most so many charts, with which every code that has charts is fitted.

    `gold` holds the codes of each chart, `codes` the charts of each code.
    """
    charts = len(gold)
    used = np.array([at for at, having in enumerate(codes) if len(having)], np.int64)
    if charts <= most:
        return [ChartSample(used, np.arange(charts), np.ones(charts))]
    order = np.random.default_rng(seed).permutation(charts)
    is_frequent = np.array([len(codes[at]) > most // 2 for at in used.tolist()], bool)
    frequent = used[is_frequent]
    number = -(-charts // most)
    parts = [np.sort(order[first::number]) for first in range(number)] if len(frequent) else []
    groups = list(_groups(used[~is_frequent].tolist(), codes, most // 2))
    step = -(-len(groups) // _LOOKED_AT)
    return [
        *(
            ChartSample(frequent, part, np.full(len(part), charts / len(part)), True, float(not at))
            for at, part in enumerate(parts)
        ),
        *(
            _with_others(group, having, order, most, 0.0 if at % step else float(step))
            for at, (group, having) in enumerate(groups)
        ),
    ]


def _groups(
    codes: Sequence[int], charts_of: Sequence[Places], most: int
) -> Iterator[tuple[list[int], set[int]]]:
    """Neighboring codes, as long as their charts together are at most so many; with the charts."""
    group: list[int] = []
    having: set[int] = set()
    for code in codes:
        both = having.union(charts_of[code].tolist())
        if len(both) > most:
            yield group, having
            group, both = [], set(charts_of[code].tolist())
        group.append(code)
        having = both
    if group:
        yield group, having


def _with_others(
    group: Sequence[int], having: set[int], order: Places, most: int, looked_at: float
) -> ChartSample:
    own = np.array(sorted(having), np.int64)
    rest = order[~np.isin(order, own)]
    others = np.sort(rest[: most - len(own)])
    weights = np.concatenate([np.ones(len(own)), np.full(len(others), len(rest) / len(others))])
    return ChartSample(
        np.array(group, np.int64), np.concatenate([own, others]), weights, looked_at=looked_at
    )
