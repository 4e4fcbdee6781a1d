"""From what speaks for a code to a probability: a logistic model of a few dozen numbers.

Two sets of weights come with Auscult: `fitted` was estimated on annotated charts, which it names;
`plain` was set by hand.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import numpy as np

from auscult.core import AuscultError

Weights = Literal["fitted", "plain"]
_FILE = "weights.json"
_PENALTY = 1.0
"""Inverse strength of the regularization."""


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
        total = sum(self.weights.get(name, 0.0) * value for name, value in found.items())
        return 1 / (1 + math.exp(-(self.intercept + total)))

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
    rows: Iterable[Mapping[str, float]], right: Sequence[bool], about: str
) -> CodeScoring:
    """Weights by logistic regression; the threshold has to be chosen after it."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    vectorizer = DictVectorizer()
    table = vectorizer.fit_transform(rows)
    model = LogisticRegression(C=_PENALTY, max_iter=5_000).fit(table, np.array(right))
    names = vectorizer.get_feature_names_out()
    weights = {
        str(name): round(float(weight), 3)
        for name, weight in zip(names, model.coef_[0], strict=True)
    }
    return CodeScoring(round(float(model.intercept_[0]), 3), weights, 0.5, about)
