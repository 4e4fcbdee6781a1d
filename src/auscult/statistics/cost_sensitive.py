"""The cost-sensitive score of two sets of codes, in which a false positive costs more.

For a unit with the codes Y in gold and P given, with M = Y − P missed and F = P − Y too many:

    score = (1 − (β|M| + γ|F|) / |Y ∪ P|)^α

The fine for overcoding is three times the payment for the code, hence γ = 1 and β = 0.33; α = 1.
Two empty sets score 1. The score of many units is the mean of theirs.

With β = γ = 1 and α = 1 it is the Jaccard similarity |Y ∩ P| / |Y ∪ P|. Equation 2 of Pestian et
al. has its complement, 1 − |Y ∩ P| / |Y ∪ P|, to which equation 1 does not reduce: a perfect model
would score 0.

Pestian et al. 2007, "A shared task involving multi-label classification of clinical free text",
section 3, after Boutell et al. 2003.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np

from auscult.core import OptionError
from auscult.statistics.bootstrap import Floats


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of a missed code (β) and of a false positive (γ), and the exponent α."""

    alpha: float = 1.0
    beta: float = 0.33
    gamma: float = 1.0

    def __post_init__(self) -> None:
        sound = 0 <= self.beta <= 1 and 0 <= self.gamma <= 1 and self.alpha > 0
        if not sound or not isfinite(self.alpha):
            raise OptionError(
                "The costs β and γ must be from 0 to 1 and α above 0, so that scores are from "
                f"0 to 1; got α {self.alpha:g}, β {self.beta:g}, γ {self.gamma:g}."
            )

    @property
    def definition(self) -> str:
        """The formula in words."""
        inner = f"1 − ({self.beta:g} |missed| + {self.gamma:g} |too many|) / |either|"
        bent = inner if self.alpha == 1 else f"({inner})^{self.alpha:g}"
        return f"mean over units of {bent}"


PAPER = Costs()


def cost_sensitive(right: Floats, extra: Floats, missed: Floats, costs: Costs = PAPER) -> Floats:
    """The score of each unit, from its numbers of true positives, false positives and missed codes.

    >>> cost_sensitive(*np.array([[1.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])).tolist()
    [0.5, 1.0, 0.835]
    """
    either = right + extra + missed
    lost = costs.beta * missed + costs.gamma * extra
    share = np.divide(lost, either, out=np.zeros_like(either), where=either > 0)
    # At β = 1 a unit without a code in common must score 0, not a shade below it.
    scores: Floats = np.clip(1 - share, 0, 1) ** costs.alpha
    return scores
