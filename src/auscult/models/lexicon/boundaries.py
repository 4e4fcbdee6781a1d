"""Boundaries of evidence: where it begins and ends, whatever the code.

Three logistic regressions over the words around a word: does evidence begin here, does it end here,
is this word inside evidence. They help to tell "anaemia" from the first word of "anaemia of chronic
disease".
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.linear_model import SGDClassifier

from auscult.core.threads import allowed
from auscult.learning.arrays import stored_arrays
from auscult.models.lexicon.boundary_features import COLUMNS, WordFeatures
from auscult.models.lexicon.lexicon_text import LexiconText

_FOLDS = 3
_CLASSES = 3
_MOST = 600_000
"""Maximum number of training words; more charts do not help."""

Logits = npt.NDArray[np.float32]
Targets = npt.NDArray[np.bool_]
UNKNOWN = -9.0


class BoundaryModel:
    """Weights of three logistic regressions: begin, end and inside."""

    def __init__(self, weights: npt.NDArray[np.float32], bias: npt.NDArray[np.float32]) -> None:
        self.weights = weights
        self.bias = bias
        # A product with a matrix that lies the other way round in memory copies all of it first.
        self._by_column = np.ascontiguousarray(weights.T)

    @classmethod
    def fit(
        cls,
        describe: WordFeatures,
        charts: Sequence[LexiconText],
        targets: Sequence[Targets],
        folds: Sequence[int],
        seed: int,
    ) -> tuple[BoundaryModel, dict[int, Logits]]:
        """Train, and return the out-of-fold log-odds of each training chart."""
        sizes = np.cumsum([len(chart) for chart in charts])
        used = max(1, int(np.searchsorted(sizes, _MOST)))
        charts, targets = charts[:used], targets[:used]
        features = describe.matrix(charts)
        gold = np.concatenate(targets)
        fold_of = np.repeat(folds[:used], [len(chart) for chart in charts])
        logits = np.zeros((len(gold), _CLASSES), np.float32)
        for fold in range(_FOLDS):
            held = fold_of % _FOLDS == fold
            if held.any() and not held.all():
                logits[held] = _train(features[~held], gold[~held], seed)._apply(features[held])
        whole = _train(features, gold, seed)
        parts = np.split(logits, np.cumsum([len(chart) for chart in charts])[:-1])
        return whole, dict(enumerate(parts))

    def logits(self, describe: WordFeatures, charts: Sequence[LexiconText]) -> list[Logits]:
        """Log-odds of begin, end and inside for every word of some charts."""
        if not charts:
            return []
        found = self._apply(describe.matrix(charts))
        return np.split(found, np.cumsum([len(chart) for chart in charts])[:-1])

    def save(self, directory: Path) -> None:
        """Write the weights that are not nothing."""
        at = np.flatnonzero(np.abs(self.weights).max(axis=0) > 1e-3)
        np.savez(
            directory / "edges.npz",
            at=at.astype(np.int32),
            weights=self.weights[:, at].astype(np.float16),
            bias=self.bias,
        )

    @classmethod
    def load(cls, directory: Path) -> BoundaryModel:
        """What `save` wrote."""
        with stored_arrays(directory / "edges.npz") as held:
            weights = np.zeros((_CLASSES, COLUMNS), np.float32)
            weights[:, held["at"]] = held["weights"]
            return cls(weights, held["bias"])

    def rounded(self) -> BoundaryModel:
        """With the weights as they are after saving, so that a saved model predicts the same."""
        weights = np.where(np.abs(self.weights).max(axis=0) > 1e-3, self.weights, 0)
        return BoundaryModel(weights.astype(np.float16).astype(np.float32), self.bias)

    def _apply(self, features: sparse.csr_matrix) -> Logits:
        found: Logits = (features @ self._by_column + self.bias).astype(np.float32)
        return found


def targets_of(length: int, references: Sequence[npt.NDArray[np.int32]]) -> Targets:
    """For every word: whether some evidence begins, ends, or lies here."""
    found = np.zeros((length, _CLASSES), bool)
    for parts in references:
        for begin, end in parts:
            found[begin, 0] = found[end - 1, 1] = True
            found[begin:end, 2] = True
    return found


def _train(features: sparse.csr_matrix, gold: Targets, seed: int) -> BoundaryModel:
    weights = np.zeros((_CLASSES, features.shape[1]), np.float32)
    bias = np.full(_CLASSES, UNKNOWN, np.float32)

    def fit_class(at: int) -> None:
        model = SGDClassifier(
            loss="log_loss", alpha=2e-5, max_iter=4, tol=None, average=True,
            random_state=seed, n_jobs=1,
        ).fit(features, gold[:, at])  # fmt: skip
        weights[at], bias[at] = model.coef_[0], model.intercept_[0]

    mixed = [at for at in range(_CLASSES) if gold[:, at].any() and not gold[:, at].all()]
    with ThreadPoolExecutor(allowed()) as threads:
        list(threads.map(fit_class, mixed))
    return BoundaryModel(weights, bias)
