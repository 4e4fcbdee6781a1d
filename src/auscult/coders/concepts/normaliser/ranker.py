"""The order of candidates, learnt: a softmax over those of a mark.

Every candidate is scored by a weighted sum of what speaks for it; the scores of a mark's candidates
become probabilities. That nothing fits is one of the candidates. The weights are those that make
the right ones likeliest (McFadden's conditional logit), with a penalty on how far they go from an
order that needs no learning.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from auscult.coders.concepts.normaliser.candidates import COLUMNS, IS_CUI_LESS, PRIOR, Candidates
from auscult.codes import is_cui_less
from auscult.core import AuscultError

Floats = npt.NDArray[np.float64]
_PENALTY = 30.0
"""3, 30 and 150 do alike out of fold on NCBI disease: 0.887, 0.885, 0.883, give or take 0.004."""
_ROUNDS = 100
_UNSEEN = 2.0
"""How many times a mark counts whose concept no other training mark has: they are few, and the
hard ones."""


@dataclass(frozen=True, eq=False)
class Ranker:
    """Weights of the columns as they are, of whether they are there at all, and of their roots."""

    centre: Floats
    spread: Floats
    weights: Floats

    @classmethod
    def learn(cls, lists: Sequence[Candidates]) -> Ranker:
        """Learn from candidates whose marks have codes."""
        table = _expand(np.concatenate([one.rows for one in lists]))
        centre, spread = table.mean(axis=0), table.std(axis=0) + 1e-6
        table = (table - centre) / spread
        right = np.concatenate([is_right(one) for one in lists]).astype(float)
        sizes = np.array([len(one.codes) for one in lists])
        starts = np.cumsum(sizes) - sizes
        counts = np.array([_UNSEEN if _is_unseen(one) else 1.0 for one in lists])
        each = np.repeat(counts, sizes)

        def loss(weights: Floats) -> tuple[float, Floats]:
            shares = _softmax(table @ weights, starts, sizes)
            hit = np.add.reduceat(shares * right, starts)
            wanted = shares * right / np.repeat(np.maximum(hit, 1e-12), sizes)
            away = weights - start
            value = -(counts * np.log(np.maximum(hit, 1e-12))).sum()
            slope = table.T @ (each * (shares - wanted)) + _PENALTY * away
            return float(value + 0.5 * _PENALTY * away @ away), slope

        # With little to learn from, candidates stay in the order that they have unlearnt.
        start = cls.unlearnt().weights * spread
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS})
        return cls(centre, spread, found.x)

    @classmethod
    def unlearnt(cls) -> Ranker:
        """The order by strength alone, with nothing learnt."""
        width = 3 * len(COLUMNS)
        weights = np.zeros(width)
        weights[COLUMNS.index("strength")] = 2.0
        return cls(np.zeros(width), np.ones(width), weights)

    def shares(self, lists: Sequence[Candidates]) -> list[Floats]:
        """The probability of every candidate of each mark."""
        if not lists:
            return []
        table = (_expand(np.concatenate([one.rows for one in lists])) - self.centre) / self.spread
        sizes = np.array([len(one.codes) for one in lists])
        starts = np.cumsum(sizes) - sizes
        return np.split(_softmax(table @ self.weights, starts, sizes), starts[1:])

    def save(self, file: Path) -> None:
        """Write the weights, by the names of what they weigh."""
        held = {
            "columns": list(COLUMNS),
            "centre": self.centre.tolist(),
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
                f"{file}: this normaliser was learnt by another version, which weighed other "
                "things. Train it again."
            )
        return cls(*(np.array(held[name]) for name in ("centre", "spread", "weights")))


def is_right(one: Candidates) -> npt.NDArray[np.bool_]:
    """Which candidates are right; when no proper one is, that nothing fits."""
    nothing = np.array([is_cui_less(code.value) for code in one.codes])
    right = ~nothing & np.array([code in one.mark.codes for code in one.codes])
    return right if right.any() else nothing


def _is_unseen(one: Candidates) -> bool:
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
