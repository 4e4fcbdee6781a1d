"""A forest of extremely randomized trees, kept as plain arrays.

scikit-learn grows it and applies it; what is saved is six arrays, so that no pickle is needed.

Geurts, Ernst & Wehenkel 2006, "Extremely randomized trees".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.tree._tree import NODE_DTYPE, Tree

from auscult.core import AuscultError
from auscult.core.threads import allowed

_NO_CHILD = -1

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Growth:
    """Hyperparameters of a forest."""

    trees: int
    leaf: int
    """Minimum number of rows in a leaf."""
    tried: float
    """The share of columns tried at each split."""
    deepest: int = 20
    most: int = 100_000
    """Maximum number of training rows; a sample is drawn when there are more."""


@dataclass(frozen=True, eq=False)
class Forest:
    """Nodes of all trees. A leaf is its own child; `value` is the share of positives there."""

    roots: npt.NDArray[np.int32]
    column: npt.NDArray[np.int16]
    limit: Floats
    below: npt.NDArray[np.int32]
    above: npt.NDArray[np.int32]
    value: Floats

    @classmethod
    def grow(cls, table: Floats, gold: npt.NDArray[np.bool_], growth: Growth, seed: int) -> Forest:
        """Train on rows and whether each is positive; the number of threads changes nothing."""
        if len(table) > growth.most:
            chosen = np.random.default_rng(seed).choice(len(table), growth.most, replace=False)
            table, gold = table[chosen], gold[chosen]
        grown = ExtraTreesClassifier(
            growth.trees, max_depth=growth.deepest, min_samples_leaf=growth.leaf,
            max_features=growth.tried, random_state=seed, n_jobs=allowed(),
        ).fit(table, gold)  # fmt: skip
        classes = grown.classes_.tolist()
        return cls.together([cls._of_tree(one.tree_, classes) for one in grown.estimators_])

    @classmethod
    def _of_tree(cls, tree: Any, classes: Sequence[bool]) -> Forest:
        here = np.arange(tree.node_count)
        is_leaf = tree.children_left < 0
        votes = tree.value[:, 0, :]  # (nodes, classes)
        positive = votes @ np.array(classes, np.float64)
        return cls(
            roots=np.zeros(1, np.int32),
            column=np.where(is_leaf, 0, tree.feature).astype(np.int16),
            limit=np.where(is_leaf, 0, tree.threshold).astype(np.float32),
            below=np.where(is_leaf, here, tree.children_left).astype(np.int32),
            above=np.where(is_leaf, here, tree.children_right).astype(np.int32),
            value=(positive / votes.sum(axis=1)).astype(np.float32),
        )

    @classmethod
    def together(cls, forests: Sequence[Forest]) -> Forest:
        """One forest with the trees of several."""
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

    def apply(self, table: Floats) -> Floats:
        """The mean over the trees of the share of positives, for every row."""
        return self.sums(table, slice(None)) / np.float32(len(self.roots))

    def sums(self, table: Floats, trees: slice) -> Floats:
        """The sum over some of the trees."""
        table = np.ascontiguousarray(table, np.float32)
        found = np.zeros(len(table), np.float32)
        if len(table):
            for tree, values in self._compiled[trees]:
                found += values[tree.apply(table)]
        return found

    @cached_property
    def _compiled(self) -> list[tuple[Tree, Floats]]:
        """The trees as scikit-learn applies them, in compiled code, and the value of each node."""
        ends = np.append(self.roots[1:], len(self.column)).tolist()
        return [
            self._tree(begin, end) for begin, end in zip(self.roots.tolist(), ends, strict=True)
        ]

    def _tree(self, begin: int, end: int) -> tuple[Tree, Floats]:
        here = np.arange(begin, end)
        is_leaf = self.below[begin:end] == here
        nodes = np.zeros(end - begin, NODE_DTYPE)
        nodes["left_child"] = np.where(is_leaf, _NO_CHILD, self.below[begin:end] - begin)
        nodes["right_child"] = np.where(is_leaf, _NO_CHILD, self.above[begin:end] - begin)
        nodes["feature"] = self.column[begin:end]
        nodes["threshold"] = self.limit[begin:end]
        tree = Tree(int(self.column.max(initial=0)) + 1, np.ones(1, np.intp), 1)
        tree.__setstate__(
            {
                "max_depth": 0,
                "node_count": len(nodes),
                "nodes": nodes,
                "values": np.zeros((len(nodes), 1, 1)),
            }
        )
        return tree, self.value[begin:end]

    def save(self, file: Path) -> None:
        """Write the arrays."""
        save_file({one.name: getattr(self, one.name) for one in fields(self)}, file)

    @classmethod
    def load(cls, file: Path) -> Forest:
        """What `save` wrote."""
        try:
            held = load_file(file)
            return cls(**{one.name: held[one.name] for one in fields(cls)})
        except (OSError, LookupError, SafetensorError) as error:
            raise AuscultError(
                f"{file} does not hold a complete forest: it is missing or damaged. "
                "Train the model again."
            ) from error
