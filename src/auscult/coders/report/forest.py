"""A forest of extremely randomised trees, kept as plain arrays.

scikit-learn grows it; what is saved and applied is five arrays, so that no pickle is needed.

Geurts, Ernst & Wehenkel 2006, "Extremely randomized trees".
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import ExtraTreesClassifier

_TREES = 100
_DEEPEST = 20
_LEAF = 3
_TRIED = 0.4


@dataclass(frozen=True, eq=False)
class Forest:
    """Nodes of all trees. A leaf is its own child; `value` is the share of positives there."""

    roots: npt.NDArray[np.int32]
    column: npt.NDArray[np.int16]
    limit: npt.NDArray[np.float32]
    below: npt.NDArray[np.int32]
    above: npt.NDArray[np.int32]
    value: npt.NDArray[np.float32]

    @classmethod
    def grow(cls, table: npt.NDArray[np.float32], gold: npt.NDArray[np.bool_], seed: int) -> Forest:
        """Learn from rows of both kinds."""
        grown = ExtraTreesClassifier(
            _TREES, max_depth=_DEEPEST, min_samples_leaf=_LEAF, max_features=_TRIED,
            random_state=seed, n_jobs=1,
        ).fit(table, gold)  # fmt: skip
        parts: dict[str, list[npt.NDArray[np.generic]]] = {one.name: [] for one in fields(cls)}
        start = 0
        positive = grown.classes_.tolist().index(True)
        for tree in (one.tree_ for one in grown.estimators_):
            here = np.arange(start, start + tree.node_count)
            is_leaf = tree.children_left < 0
            parts["roots"].append(here[:1])
            parts["column"].append(np.where(is_leaf, 0, tree.feature))
            parts["limit"].append(np.where(is_leaf, 0, tree.threshold))
            parts["below"].append(np.where(is_leaf, here, tree.children_left + start))
            parts["above"].append(np.where(is_leaf, here, tree.children_right + start))
            votes = tree.value[:, 0, :]
            parts["value"].append(votes[:, positive] / votes.sum(axis=1))
            start += tree.node_count
        kinds = (np.int32, np.int16, np.float32, np.int32, np.int32, np.float32)
        return cls(
            *(
                np.concatenate(found).astype(kind)
                for found, kind in zip(parts.values(), kinds, strict=True)
            )
        )

    def apply(self, table: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """The mean over the trees of the share of positives, for every row."""
        rows = np.arange(len(table))
        at = np.repeat(self.roots[:, None], len(table), axis=1)  # (trees, rows)
        for _ in range(_DEEPEST):
            goes_below = table[rows, self.column[at]] <= self.limit[at]
            at = np.where(goes_below, self.below[at], self.above[at])
        mean: npt.NDArray[np.float32] = self.value[at].mean(axis=0, dtype=np.float32)
        return mean

    def save(self, file: Path) -> None:
        """Write the arrays."""
        np.savez_compressed(file, **{one.name: getattr(self, one.name) for one in fields(self)})

    @classmethod
    def load(cls, file: Path) -> Forest:
        """What `save` wrote."""
        with np.load(file, allow_pickle=False) as held:
            return cls(*(held[one.name] for one in fields(cls)))
