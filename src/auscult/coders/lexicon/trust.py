"""How likely a candidate is to be evidence.

A logistic regression reads its numbers and the words around it; a forest reads the numbers and
what the regression says. The answer is the mean of the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from auscult.coders.lexicon.forest import Forest

_SCALE = 0.5
_STRENGTH = 0.1
_FOLDS = 5
_REGRESSION = "regression.npz"
_FOREST = "forest.npz"

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
    """A regression and a forest; neither where all candidates were alike, only their share."""

    def __init__(self, learnt: tuple[Regression, Forest] | None, share: float = 0.0) -> None:
        self._learnt = learnt
        self._share = share

    @classmethod
    def fit(
        cls,
        table: Floats,
        around: sparse.csr_matrix,
        gold: npt.NDArray[np.bool_],
        chart_of: npt.NDArray[np.int64],
        seed: int,
    ) -> Trust:
        """Learn. The forest sees what a regression that learnt from other charts says."""
        if not gold.any() or gold.all():
            return cls(None, float((gold.sum() + 0.5) / (len(gold) + 1)))
        says = np.zeros(len(gold), np.float32)
        for fold in range(_FOLDS):
            is_held = chart_of % _FOLDS == fold
            held, others = np.flatnonzero(is_held), np.flatnonzero(~is_held)
            if len(held) and gold[others].any() and not gold[others].all():
                part = Regression.fit(table[others], around[others], gold[others])
                says[held] = part.apply(table[held], around[held])
        forest = Forest.grow(np.column_stack([table, says]), gold, seed)
        return cls((Regression.fit(table, around, gold), forest))

    def apply(self, table: Floats, around: sparse.csr_matrix) -> Floats:
        """Probabilities."""
        if self._learnt is None:
            return np.full(len(table), self._share, np.float32)
        regression, forest = self._learnt
        says = regression.apply(table, around)
        grown = forest.apply(np.column_stack([table, says]))
        found: Floats = ((expit(says) + grown) / 2).astype(np.float32)
        return found

    def save(self, directory: Path) -> None:
        """Write the weights and the trees."""
        if self._learnt is None:
            np.savez(directory / _REGRESSION, share=np.float64(self._share))
            return
        regression, forest = self._learnt
        np.savez_compressed(
            directory / _REGRESSION, centre=regression.centre, spread=regression.spread,
            numbers=regression.numbers, words=regression.words, bias=np.float64(regression.bias),
        )  # fmt: skip
        forest.save(directory / _FOREST)

    @classmethod
    def load(cls, directory: Path) -> Trust:
        """What `save` wrote."""
        with np.load(directory / _REGRESSION, allow_pickle=False) as held:
            if "share" in held:
                return cls(None, float(held["share"]))
            regression = Regression(
                held["centre"], held["spread"], held["numbers"], held["words"], float(held["bias"])
            )
        return cls((regression, Forest.load(directory / _FOREST)))
