"""From what speaks for a code to a probability: a logistic model of a few dozen numbers.

Two sets of weights come with Auscult: `fitted` was estimated on annotated charts, which it names;
`plain` was set by hand.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from auscult.core import AuscultError

Weights = Literal["fitted", "plain"]
_FILE = "weights.json"
_PENALTY = 1.0
"""Inverse strength of the regularization."""
_ROWS = 50_000
"""Maximum number of finds to fit weights on; a few dozen numbers need no more."""


@dataclass(frozen=True, slots=True)
class CodeScoring:
    """A weight for each feature, and the probability from which a code is given."""

    intercept: float
    weights: Mapping[str, float]
    threshold: float
    about: str
    """What the weights were estimated on."""

    def probability(self, found: Mapping[str, float]) -> float:
        """The probability that a code with these features is right."""
        return 1 / (1 + math.exp(-self.log_odds(found)))

    def log_odds(self, found: Mapping[str, float]) -> float:
        """The logarithm of the odds that a code with these features is right."""
        total = sum(self.weights.get(name, 0.0) * value for name, value in found.items())
        return self.intercept + total

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "about": self.about,
            "threshold": self.threshold,
            "intercept": self.intercept,
            "weights": dict(self.weights),
        }

    @classmethod
    def from_dict(cls, held: Mapping[str, Any]) -> CodeScoring:
        """What `to_dict` gave."""
        try:
            weights = {str(name): float(weight) for name, weight in held["weights"].items()}
            return cls(
                float(held["intercept"]), weights, float(held["threshold"]), str(held["about"])
            )
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise AuscultError(f"The weights of the code book are damaged: {error}.") from error


@cache
def shipped(which: Weights) -> CodeScoring:
    """The weights that come with Auscult."""
    text = files("auscult.models.codebook").joinpath(_FILE).read_text(encoding="utf-8")
    return CodeScoring.from_dict(json.loads(text)[which])


def fit_scoring(
    rows: Sequence[Mapping[str, float]],
    right: Sequence[bool],
    about: str,
    start: CodeScoring | None = None,
) -> CodeScoring:
    """Weights by logistic regression; the threshold has to be chosen after it.

    With `start`, its weights are those that hold where the rows say nothing: what is fitted is how
    far to go from them, so that a few rows change little.
    """
    if start is not None and not rows:
        return start
    from scipy.optimize import minimize
    from scipy.special import expit
    from sklearn.feature_extraction import DictVectorizer

    vectorizer = DictVectorizer()
    table = vectorizer.fit_transform(rows)
    from_start = np.zeros(len(rows))
    if start is not None:
        from_start = np.array([start.log_odds(row) for row in rows])
    sign = np.where(right, 1.0, -1.0)
    penalty = np.full(table.shape[1] + 1, 1 / _PENALTY)
    penalty[-1] *= start is not None

    def loss(numbers: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        odds = sign * (from_start + table @ numbers[:-1] + numbers[-1])
        slope = -sign * expit(-odds)
        value = np.logaddexp(0, -odds).sum() + (penalty * numbers**2).sum() / 2
        return float(value), np.append(table.T @ slope, slope.sum()) + penalty * numbers

    found = minimize(
        loss, np.zeros(len(penalty)), jac=True, method="L-BFGS-B", options={"maxiter": 5_000}
    )
    weights = dict(start.weights) if start is not None else {}
    for name, weight in zip(vectorizer.get_feature_names_out(), found.x[:-1], strict=True):
        weights[str(name)] = round(weights.get(name, 0.0) + float(weight), 3)
    intercept = float(found.x[-1]) + (start.intercept if start is not None else 0.0)
    return CodeScoring(round(intercept, 3), weights, 0.5, about)


def fit_across(
    rows_of: Callable[[int], Sequence[Mapping[str, float]]],
    right: Sequence[Sequence[bool]],
    folds: Sequence[int],
    about: str,
    start: CodeScoring,
) -> tuple[CodeScoring, dict[int, CodeScoring]]:
    """Weights from the finds of all charts, and for each fold those from the charts outside it.

    `rows_of` makes the rows of a chart by its number, which all together take a gigabyte.
    """
    step = 1 + sum(map(len, right)) // _ROWS

    def fitted(fold: int | None) -> CodeScoring:
        charts = [at for at, own in enumerate(folds) if own != fold][::step]
        rows = [row for at in charts for row in rows_of(at)]
        return fit_scoring(rows, [one for at in charts for one in right[at]], about, start)

    return fitted(None), {fold: fitted(fold) for fold in sorted(set(folds))}
