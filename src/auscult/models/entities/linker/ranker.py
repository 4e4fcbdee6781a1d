"""The ranker of candidates: a softmax over the candidates of a mention.

The score of a candidate is a weighted sum of its features; a softmax turns the scores of a
mention's candidates, CUI-less among them, into probabilities. The weights maximize the likelihood
of the right candidates (McFadden's conditional logit), with a penalty on the distance from a fixed
initial order.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from auscult.codes import is_cui_less
from auscult.core import AuscultError
from auscult.core.threads import one_blas_thread
from auscult.learning.arrays import row_products
from auscult.models.entities.linker.candidates import COLUMNS, IS_CUI_LESS, PRIOR, LinkCandidates

Floats = npt.NDArray[np.float64]
_PENALTY = 30.0
"""Out of fold on NCBI disease, 3, 30 and 150 are alike: accuracy 0.887, 0.885, 0.883 ± 0.004."""
_ROUNDS = 100
_UNSEEN = 2.0
"""Weight of a training mention whose concept no other mention has: these are few and hard."""


@dataclass(frozen=True, eq=False)
class Ranker:
    """Weights of the features, of their presence, and of their square roots."""

    center: Floats
    spread: Floats
    weights: Floats

    @classmethod
    @one_blas_thread()
    def fit(cls, lists: Sequence[LinkCandidates]) -> Ranker:
        """Fit to candidates whose mentions have gold codes."""
        table = _expand(np.concatenate([one.rows for one in lists]))
        center, spread = table.mean(axis=0), table.std(axis=0) + 1e-6
        table = (table - center) / spread
        right = np.concatenate([is_right(one) for one in lists]).astype(float)
        sizes = np.array([len(one.codes) for one in lists])
        starts = np.cumsum(sizes) - sizes
        counts = np.array([_UNSEEN if _is_unseen(one) else 1.0 for one in lists])
        each = np.repeat(counts, sizes)

        def loss(weights: Floats) -> tuple[float, Floats]:
            shares = _softmax(table @ weights, starts, sizes)
            hit = np.add.reduceat(shares * right, starts)
            target = shares * right / np.repeat(np.maximum(hit, 1e-12), sizes)
            away = weights - start
            value = -(counts * np.log(np.maximum(hit, 1e-12))).sum()
            slope = table.T @ (each * (shares - target)) + _PENALTY * away
            return float(value + 0.5 * _PENALTY * away @ away), slope

        # With few examples, candidates stay in the order of the untrained ranker.
        start = cls.untrained().weights * spread
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS})
        return cls(center, spread, found.x)

    @classmethod
    def untrained(cls) -> Ranker:
        """The ranker before training, which orders candidates by `strength` alone."""
        width = 3 * len(COLUMNS)
        weights = np.zeros(width)
        weights[COLUMNS.index("strength")] = 2.0
        return cls(np.zeros(width), np.ones(width), weights)

    def shares(self, lists: Sequence[LinkCandidates]) -> list[Floats]:
        """The probability of every candidate of each mention."""
        if not lists:
            return []
        table = (_expand(np.concatenate([one.rows for one in lists])) - self.center) / self.spread
        sizes = np.array([len(one.codes) for one in lists])
        starts = np.cumsum(sizes) - sizes
        return np.split(_softmax(row_products(table, self.weights), starts, sizes), starts[1:])

    def save(self, file: Path) -> None:
        """Write the weights, by the names of their features."""
        held = {
            "columns": list(COLUMNS),
            "center": self.center.tolist(),
            "spread": self.spread.tolist(),
            "weights": self.weights.tolist(),
        }
        file.write_text(json.dumps(held, indent=1), encoding="utf-8")

    @classmethod
    def load(cls, file: Path) -> Ranker:
        """What `save` wrote."""
        held = json.loads(file.read_text(encoding="utf-8"))
        if held["columns"] != list(COLUMNS):
            raise AuscultError(
                f"{file}: this linker was trained by another version of Auscult, with other "
                "features. Train it again."
            )
        return cls(*(np.array(held[name]) for name in ("center", "spread", "weights")))


def is_right(one: LinkCandidates) -> npt.NDArray[np.bool_]:
    """Which candidates are right; when no proper one is, that nothing fits."""
    nothing = np.array([is_cui_less(code.value) for code in one.codes])
    right = ~nothing & np.array([code in one.mark.codes for code in one.codes])
    return right if right.any() else nothing


def _is_unseen(one: LinkCandidates) -> bool:
    """Whether the right candidates are concepts that no training mark has."""
    right = is_right(one)
    return not one.rows[right, PRIOR].any() and not one.rows[right, IS_CUI_LESS].any()


def _expand(rows: npt.NDArray[np.float32]) -> Floats:
    return np.concatenate([rows, rows > 0, np.sqrt(np.abs(rows))], axis=1).astype(float)


def _softmax(scores: Floats, starts: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> Floats:
    peaks = np.maximum.reduceat(scores, starts)
    raised = np.exp(scores - np.repeat(peaks, sizes))
    shares: Floats = raised / np.repeat(np.add.reduceat(raised, starts), sizes)
    return shares
