"""The probability that a candidate is evidence, and that its code applies to the chart.

A logistic regression uses the candidate's features and the words around it; two random forests use
the features and the log-odds of the regression. One predicts whether the range is evidence for the
code and ranks ranges; the other predicts whether the chart has the code at all. Both together give
the score of the code.
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

from auscult.core.threads import one_blas_thread
from auscult.learning.arrays import row_products, stored_arrays
from auscult.models.forest import Forest, Growth

_SCALE = 0.5
_STRENGTH = 0.1
_FOLDS = 3
_GROWTH = Growth(trees=100, leaf=5, tried=0.4, most=150_000)
_FIRST = 10
"""Trees of each forest that see every candidate; the others see those that are not hopeless."""
_HOPELESS = 0.02
"""Probability by the first trees up to which a candidate is hopeless, and keeps it: what the other
trees would change is far below the thresholds that are tuned.
"""
_REGRESSION_PART = 0.2
"""Weight of the regression in the final probability, beside the forests."""
_REGRESSION = "regression.npz"
_EVIDENCE = "evidence.safetensors"
_CODE = "code.safetensors"
_SHARES = "shares.npz"

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Regression:
    """Weights of the scaled features and of the words around a candidate."""

    center: Floats
    spread: Floats
    numbers: Floats
    words: Floats
    bias: float

    @classmethod
    @one_blas_thread()
    def fit(
        cls, table: Floats, around: sparse.csr_matrix, gold: npt.NDArray[np.bool_]
    ) -> Regression:
        """Train on positive and negative candidates."""
        center = table.mean(axis=0)
        spread = np.maximum(table.std(axis=0), 0.05) / _SCALE
        model = LogisticRegression(C=_STRENGTH, solver="liblinear", tol=1e-3, random_state=0)
        model.fit(sparse.hstack([sparse.csr_matrix((table - center) / spread), around]), gold)
        weights = model.coef_[0].astype(np.float32)
        width = table.shape[1]
        return cls(center, spread, weights[:width], weights[width:], float(model.intercept_[0]))

    def apply(
        self,
        table: Floats,
        around: sparse.csr_matrix,
        ranges: npt.NDArray[np.int64] | slice = slice(None),
    ) -> Floats:
        """Log-odds; row `k` of the table has the words of row `ranges[k]` around it."""
        scaled = (table - self.center) / self.spread
        of_words = (around @ self.words)[ranges]
        logits = row_products(scaled, self.numbers) + of_words + self.bias
        found: Floats = logits.astype(np.float32)
        return found


@dataclass(frozen=True, eq=False)
class CandidateProbabilities:
    """For every candidate, the probability of its code and that its range is evidence."""

    code: Floats
    evidence: Floats


@dataclass(frozen=True, eq=False)
class _CandidateClassifiers:
    """The fitted classifiers; `code` is None where all training candidates agree on the code."""

    regression: Regression
    evidence: Forest
    code: Forest | None

    def apply(
        self, table: Floats, around: sparse.csr_matrix, ranges: npt.NDArray[np.int64]
    ) -> CandidateProbabilities:
        logits = self.regression.apply(table, around, ranges)
        table, predicted = np.column_stack([table, logits]), expit(logits)
        forests = [self.evidence] if self.code is None else [self.evidence, self.code]
        found = [forest.sums(table, slice(_FIRST)) for forest in forests]
        early = _mixed(np.mean(found, axis=0) / _FIRST, predicted)
        hopeful = np.flatnonzero(early > _HOPELESS)
        rows, trees = table[hopeful], np.full(len(table), _FIRST, np.float32)
        trees[hopeful] = _GROWTH.trees
        for forest, sums in zip(forests, found, strict=True):
            sums[hopeful] += forest.sums(rows, slice(_FIRST, None))
            sums /= trees
        evidence, code = found[0], found[-1]
        return CandidateProbabilities(
            _mixed((evidence + code) / 2, predicted), _mixed(evidence, predicted)
        )


@dataclass(frozen=True)
class _Shares:
    """Constant probabilities, for training candidates that were all evidence or none."""

    code: float
    evidence: float

    def apply(
        self, table: Floats, around: sparse.csr_matrix, ranges: npt.NDArray[np.int64]
    ) -> CandidateProbabilities:
        rows = len(table)
        return CandidateProbabilities(
            np.full(rows, self.code, np.float32), np.full(rows, self.evidence, np.float32)
        )


class CandidateModel:
    """Predicts the probabilities of candidates."""

    def __init__(self, classifiers: _CandidateClassifiers | _Shares) -> None:
        self._classifiers = classifiers

    @classmethod
    def fit(
        cls,
        table: Floats,
        around: sparse.csr_matrix,
        gold: npt.NDArray[np.bool_],
        applies: npt.NDArray[np.bool_],
        fold_of: npt.NDArray[np.int64],
        seed: int,
    ) -> CandidateModel:
        """Train on candidates: which are evidence, and for which the chart has the code."""
        if not _has_both(gold):
            return cls.constant(gold, applies)
        regression = Regression.fit(table, around, gold)
        logits = regression.apply(table, around)
        for fold in range(_FOLDS):
            held = fold_of % _FOLDS == fold
            if held.any() and _has_both(gold[~held]):
                # The forests need the regression's log-odds out of fold.
                part = Regression.fit(table[~held], around[~held], gold[~held])
                logits[held] = part.apply(table[held], around[held])
        table = np.column_stack([table, logits])
        evidence = Forest.grow(table, gold, _GROWTH, seed)
        is_more = _has_both(applies) and not np.array_equal(applies, gold)
        code = Forest.grow(table, applies, _GROWTH, seed + 1) if is_more else None
        return cls(_CandidateClassifiers(regression, evidence, code))

    @classmethod
    def constant(
        cls, gold: npt.NDArray[np.bool_], applies: npt.NDArray[np.bool_]
    ) -> CandidateModel:
        """The same probabilities for all candidates."""
        return cls(_Shares(_share(applies), _share(gold)))

    def apply(
        self, table: Floats, around: sparse.csr_matrix, ranges: npt.NDArray[np.int64]
    ) -> CandidateProbabilities:
        """The probabilities of candidates; around candidate `k` are the words `around[ranges[k]]`.

        Those of hopeless ones are rough.
        """
        return self._classifiers.apply(table, around, ranges)

    def save(self, directory: Path) -> None:
        """Write the constants, or the classifiers."""
        if isinstance(self._classifiers, _Shares):
            np.savez(
                directory / _SHARES,
                code=self._classifiers.code,
                evidence=self._classifiers.evidence,
            )
            return
        one = self._classifiers.regression
        np.savez_compressed(
            directory / _REGRESSION, center=one.center, spread=one.spread,
            numbers=one.numbers, words=one.words, bias=np.float64(one.bias),
            has_code_forest=self._classifiers.code is not None,
        )  # fmt: skip
        self._classifiers.evidence.save(directory / _EVIDENCE)
        if self._classifiers.code is not None:
            self._classifiers.code.save(directory / _CODE)

    @classmethod
    def load(cls, directory: Path) -> CandidateModel:
        """What `save` wrote."""
        if (directory / _SHARES).exists() and (directory / _REGRESSION).exists():
            raise ValueError("it has files of two different candidate models")
        if (directory / _SHARES).exists():
            with stored_arrays(directory / _SHARES) as held:
                return cls(_Shares(float(held["code"]), float(held["evidence"])))
        with stored_arrays(directory / _REGRESSION) as held:
            regression = Regression(
                held["center"], held["spread"], held["numbers"], held["words"],
                float(held["bias"]),
            )  # fmt: skip
            code = Forest.load(directory / _CODE) if held["has_code_forest"] else None
        return cls(_CandidateClassifiers(regression, Forest.load(directory / _EVIDENCE), code))


def _mixed(grown: npt.NDArray[Any], predicted: npt.NDArray[Any]) -> Floats:
    found: Floats = (grown + _REGRESSION_PART * (predicted - grown)).astype(np.float32)
    return found


def _share(gold: npt.NDArray[np.bool_]) -> float:
    return float((gold.sum() + 0.5) / (len(gold) + 1))


def _has_both(gold: npt.NDArray[np.bool_]) -> bool:
    return bool(gold.any() and not gold.all())
