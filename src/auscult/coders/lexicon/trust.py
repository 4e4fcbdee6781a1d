"""How likely a candidate is to be evidence.

A forest reads its numbers. Where nobody ever pointed at text, so that the words around a
candidate could not be judged by where evidence begins and ends, a logistic regression reads those
words; the forest sees what it says, and the answer is the mean of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from auscult.coders.forest import Forest, Growth
from auscult.learning.arrays import stored_arrays

_SCALE = 0.5
_STRENGTH = 0.1
_FOLDS = 5
_GROWTH = Growth(trees=200, leaf=5, tried=0.4)
_REGRESSION = "regression.npz"
_FOREST = "forest.safetensors"
_SHARE = "share.npz"

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Regression:
    """Weights of numbers, after scaling, and of words around."""

    centre: Floats
    spread: Floats
    numbers: Floats
    words: Floats
    bias: float

    @classmethod
    def fit(
        cls, table: Floats, around: sparse.csr_matrix, gold: npt.NDArray[np.bool_]
    ) -> Regression:
        """Learn from candidates of both kinds."""
        centre = table.mean(axis=0)
        spread = np.maximum(table.std(axis=0), 0.05) / _SCALE
        model = LogisticRegression(C=_STRENGTH, solver="liblinear", tol=1e-3, random_state=0)
        model.fit(sparse.hstack([sparse.csr_matrix((table - centre) / spread), around]), gold)
        weights = model.coef_[0].astype(np.float32)
        width = table.shape[1]
        return cls(centre, spread, weights[:width], weights[width:], float(model.intercept_[0]))

    def apply(self, table: Floats, around: sparse.csr_matrix) -> Floats:
        """Log-odds."""
        scaled = (table - self.centre) / self.spread
        found: Floats = (scaled @ self.numbers + around @ self.words + self.bias).astype(np.float32)
        return found


class Trust:
    """A forest, perhaps a regression; neither where all candidates were alike, only their share."""

    def __init__(
        self, forest: Forest | None, regression: Regression | None = None, share: float = 0.0
    ) -> None:
        self._forest = forest
        self._regression = regression
        self._share = share

    @classmethod
    def fit(
        cls,
        table: Floats,
        around: sparse.csr_matrix | None,
        gold: npt.NDArray[np.bool_],
        fold_of: npt.NDArray[np.int64],
        seed: int,
    ) -> Trust:
        """Learn from candidates, each of a chart in some fold."""
        if not gold.any() or gold.all():
            return cls(None, share=float((gold.sum() + 0.5) / (len(gold) + 1)))
        regression = None
        if around is not None:
            regression = Regression.fit(table, around, gold)
            says = regression.apply(table, around)
            for fold in range(_FOLDS):
                held = fold_of % _FOLDS == fold
                if not _is_mixed(gold[~held]):
                    continue
                # The forest must not trust what the regression says of rows that taught it.
                others = np.flatnonzero(~held)
                part = Regression.fit(table[others], around[others], gold[others])
                says[held] = part.apply(table[held], around[np.flatnonzero(held)])
            table = np.column_stack([table, says])
        return cls(Forest.grow(table, gold, _GROWTH, seed), regression)

    @property
    def reads_words(self) -> bool:
        """Whether `apply` wants the words around."""
        return self._regression is not None

    def apply(self, table: Floats, around: sparse.csr_matrix | None) -> Floats:
        """Probabilities."""
        if self._forest is None:
            return np.full(len(table), self._share, np.float32)
        if self._regression is None or around is None:
            return self._forest.apply(table)
        says = self._regression.apply(table, around)
        return _both(says, self._forest.apply(np.column_stack([table, says])))

    def save(self, directory: Path) -> None:
        """Write what there is: the share, or the forest and the regression."""
        one = self._regression
        if self._forest is None:
            np.savez(directory / _SHARE, share=np.float64(self._share))
        else:
            self._forest.save(directory / _FOREST)
        if one is not None:
            np.savez_compressed(
                directory / _REGRESSION, centre=one.centre, spread=one.spread,
                numbers=one.numbers, words=one.words, bias=np.float64(one.bias),
            )  # fmt: skip

    @classmethod
    def load(cls, directory: Path, *, reads_words: bool) -> Trust:
        """What `save` wrote; `reads_words` says that there must be a regression."""
        if not (directory / _FOREST).exists():
            with stored_arrays(directory / _SHARE) as held:
                return cls(None, share=float(held["share"]))
        regression = None
        if reads_words:
            with stored_arrays(directory / _REGRESSION) as held:
                regression = Regression(
                    held["centre"], held["spread"], held["numbers"], held["words"],
                    float(held["bias"]),
                )  # fmt: skip
        return cls(Forest.load(directory / _FOREST), regression)


def _both(says: Floats, grown: Floats) -> Floats:
    """The mean of what a regression and the forests say."""
    found: Floats = ((expit(says) + grown) / 2).astype(np.float32)
    return found


def _is_mixed(gold: npt.NDArray[np.bool_]) -> bool:
    return bool(gold.any() and not gold.all())
