"""A forest of extremely randomised trees, kept as plain arrays.

scikit-learn grows it; what is saved and applied is six arrays, so that no pickle is needed.

Geurts, Ernst & Wehenkel 2006, "Extremely randomized trees".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import ExtraTreesClassifier

_TREES = 50
_DEEPEST = 20
_LEAF = 5
_TRIED = 0.4
_MOST = 100_000
"""Rows to grow from; a sample when there are more."""
_BATCH = 2_048
"""Rows judged at once, which bounds memory."""


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
        if len(table) > _MOST:
            chosen = np.random.default_rng(seed).choice(len(table), _MOST, replace=False)
            table, gold = table[chosen], gold[chosen]
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
        found = [np.zeros(0, np.float32)]
        for start in range(0, len(table), _BATCH):
            part = table[start : start + _BATCH]
            rows = np.arange(len(part))
            at = np.repeat(self.roots[:, None], len(part), axis=1)  # (trees, rows)
            for _ in range(_DEEPEST):
                goes_below = part[rows, self.column[at]] <= self.limit[at]
                at = np.where(goes_below, self.below[at], self.above[at])
            found.append(self.value[at].mean(axis=0, dtype=np.float32))
        return np.concatenate(found)

    @classmethod
    def together(cls, forests: Sequence[Forest]) -> Forest:
        """One forest of the trees of several."""
        starts = np.cumsum([0, *(len(one.column) for one in forests[:-1])]).tolist()
        pairs = list(zip(forests, starts, strict=True))
        return cls(
            roots=np.concatenate([one.roots + start for one, start in pairs]).astype(np.int32),
            column=np.concatenate([one.column for one in forests]),
            limit=np.concatenate([one.limit for one in forests]),
            below=np.concatenate([one.below + start for one, start in pairs]).astype(np.int32),
            above=np.concatenate([one.above + start for one, start in pairs]).astype(np.int32),
            value=np.concatenate([one.value for one in forests]),
        )

    def save(self, file: Path) -> None:
        """Write the arrays."""
        np.savez_compressed(file, **{one.name: getattr(self, one.name) for one in fields(self)})

    @classmethod
    def load(cls, file: Path) -> Forest:
        """What `save` wrote."""
        with np.load(file, allow_pickle=False) as held:
            return cls(*(held[one.name] for one in fields(cls)))
