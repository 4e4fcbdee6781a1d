"""How far to trust a candidate.

A logistic regression reads its numbers and the words around it; two forests read the numbers and
what the regression says. One asks whether the range is evidence for the code, and chooses between
ranges; the other whether the chart has the code at all, and both together say whether to give it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from auscult.coders.forest import Forest, Growth
from auscult.learning.arrays import stored_arrays

_SCALE = 0.5
_STRENGTH = 0.1
_FOLDS = 3
_GROWTH = Growth(trees=100, leaf=5, tried=0.4, most=150_000)
_REGRESSION_PART = 0.2
"""Of the regression in what is said in the end, beside the forests."""
_REGRESSION = "regression.npz"
_EVIDENCE = "evidence.safetensors"
_CODE = "code.safetensors"
_SHARES = "shares.npz"

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


@dataclass(frozen=True, eq=False)
class Trusted:
    """For every candidate, how likely its chart has the code, and that its range is evidence."""

    code: Floats
    evidence: Floats


@dataclass(frozen=True, eq=False)
class _Judges:
    """What was learnt; `code` is None where the code of all applies, or of just the evidence."""

    regression: Regression
    evidence: Forest
    code: Forest | None

    def apply(self, table: Floats, around: sparse.csr_matrix) -> Trusted:
        says = self.regression.apply(table, around)
        table, said = np.column_stack([table, says]), expit(says)
        evidence = self.evidence.apply(table)
        code = evidence if self.code is None else self.code.apply(table)
        return Trusted(_mixed((evidence + code) / 2, said), _mixed(evidence, said))


@dataclass(frozen=True)
class _Shares:
    """Where all candidates to learn from were evidence, or none was: how many had their code."""

    code: float
    evidence: float

    def apply(self, table: Floats, around: sparse.csr_matrix) -> Trusted:
        rows = len(table)
        return Trusted(
            np.full(rows, self.code, np.float32), np.full(rows, self.evidence, np.float32)
        )


class Trust:
    """What judges candidates, to be learnt, saved and loaded."""

    def __init__(self, judges: _Judges | _Shares) -> None:
        self._judges = judges

    @classmethod
    def fit(
        cls,
        table: Floats,
        around: sparse.csr_matrix,
        gold: npt.NDArray[np.bool_],
        applies: npt.NDArray[np.bool_],
        fold_of: npt.NDArray[np.int64],
        seed: int,
    ) -> Trust:
        """Learn from candidates: which are evidence, for which the chart has the code at all."""
        if not _has_both(gold):
            return cls(_Shares(_share(applies), _share(gold)))
        regression = Regression.fit(table, around, gold)
        says = regression.apply(table, around)
        for fold in range(_FOLDS):
            held = fold_of % _FOLDS == fold
            if held.any() and _has_both(gold[~held]):
                # The forests must not trust what the regression says of rows that taught it.
                part = Regression.fit(table[~held], around[~held], gold[~held])
                says[held] = part.apply(table[held], around[held])
        table = np.column_stack([table, says])
        evidence = Forest.grow(table, gold, _GROWTH, seed)
        is_more = _has_both(applies) and not np.array_equal(applies, gold)
        code = Forest.grow(table, applies, _GROWTH, seed + 1) if is_more else None
        return cls(_Judges(regression, evidence, code))

    def apply(self, table: Floats, around: sparse.csr_matrix) -> Trusted:
        """Probabilities."""
        return self._judges.apply(table, around)

    def save(self, directory: Path) -> None:
        """Write what there is: the shares, or the judges."""
        if isinstance(self._judges, _Shares):
            np.savez(directory / _SHARES, code=self._judges.code, evidence=self._judges.evidence)
            return
        one = self._judges.regression
        np.savez_compressed(
            directory / _REGRESSION, centre=one.centre, spread=one.spread,
            numbers=one.numbers, words=one.words, bias=np.float64(one.bias),
            has_code_forest=self._judges.code is not None,
        )  # fmt: skip
        self._judges.evidence.save(directory / _EVIDENCE)
        if self._judges.code is not None:
            self._judges.code.save(directory / _CODE)

    @classmethod
    def load(cls, directory: Path) -> Trust:
        """What `save` wrote."""
        if (directory / _SHARES).exists() and (directory / _REGRESSION).exists():
            raise ValueError("one of two judgements is left over from another lexicon")
        if (directory / _SHARES).exists():
            with stored_arrays(directory / _SHARES) as held:
                return cls(_Shares(float(held["code"]), float(held["evidence"])))
        with stored_arrays(directory / _REGRESSION) as held:
            regression = Regression(
                held["centre"], held["spread"], held["numbers"], held["words"],
                float(held["bias"]),
            )  # fmt: skip
            code = Forest.load(directory / _CODE) if held["has_code_forest"] else None
        return cls(_Judges(regression, Forest.load(directory / _EVIDENCE), code))


def _mixed(grown: npt.NDArray[Any], said: npt.NDArray[Any]) -> Floats:
    found: Floats = (grown + _REGRESSION_PART * (said - grown)).astype(np.float32)
    return found


def _share(gold: npt.NDArray[np.bool_]) -> float:
    return float((gold.sum() + 0.5) / (len(gold) + 1))


def _has_both(gold: npt.NDArray[np.bool_]) -> bool:
    return bool(gold.any() and not gold.all())
