"""Whether a second candidate is right beside the first: a span may mean several concepts.

A coordination ("breast and ovarian cancer") means both, and a vocabulary may hold a concept twice.
A logistic regression over the features of the candidate and its differences from the first decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from auscult.codes import is_cui_less
from auscult.core.threads import one_blas_thread
from auscult.models.entities.linker.candidates import LinkCandidates
from auscult.models.entities.linker.ranker import is_right

Floats = npt.NDArray[np.float64]
_FEWEST = 20
"""Minimum number of training mentions with several concepts."""


@dataclass(frozen=True)
class SecondConceptModel:
    """Weights of the candidate's features, of the differences from the first's, of its share."""

    center: tuple[float, ...] = ()
    spread: tuple[float, ...] = ()
    weights: tuple[float, ...] = ()
    bias: float = 0.0

    @classmethod
    @one_blas_thread()
    def fit(cls, lists: Sequence[LinkCandidates], shares: Sequence[Floats]) -> SecondConceptModel:
        """Fit to mentions whose first candidate is right; with too few, predict one concept
        only."""
        tables, right = [], []
        several = 0
        for one, share in zip(lists, shares, strict=True):
            hits = is_right(one)
            others, table = _rows(one, share)
            if len(others) and hits[_first(one, share)]:
                several += len(one.mark.codes) > 1
                tables.append(table)
                right.append(hits[others])
        if several < _FEWEST or not np.concatenate(right).any():
            return cls()
        table = np.concatenate(tables)
        center, spread = table.mean(axis=0), table.std(axis=0) + 1e-6
        regression = LogisticRegression(C=0.3, max_iter=300)
        regression.fit((table - center) / spread, np.concatenate(right))
        return cls(
            tuple(center.tolist()),
            tuple(spread.tolist()),
            tuple(regression.coef_[0].tolist()),
            float(regression.intercept_[0]),
        )

    def beside(self, one: LinkCandidates, shares: Floats) -> list[tuple[int, float]]:
        """The other candidates and the probability that each is right as well."""
        others, table = _rows(one, shares)
        if not self.weights or not len(others):
            return []
        scores = (table - np.array(self.center)) / np.array(self.spread) @ np.array(self.weights)
        return list(
            zip(others.tolist(), (1 / (1 + np.exp(-scores - self.bias))).tolist(), strict=True)
        )


def _first(one: LinkCandidates, shares: Floats) -> int:
    proper = np.array([not is_cui_less(code.value) for code in one.codes])
    return int(np.argmax(np.where(proper, shares, -1.0)))


def _rows(one: LinkCandidates, shares: Floats) -> tuple[npt.NDArray[np.int64], Floats]:
    """The other candidates, and what is known of each beside the first."""
    first = _first(one, shares)
    others = np.array(
        [at for at, c in enumerate(one.codes) if at != first and not is_cui_less(c.value)], np.int64
    )
    rows = one.rows[others].astype(float)
    ratio = (shares[others] / max(float(shares[first]), 1e-9))[:, None]
    return others, np.concatenate([rows, rows - one.rows[first], ratio, np.sqrt(ratio)], axis=1)
