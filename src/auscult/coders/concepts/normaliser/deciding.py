"""From probabilities to concepts: how many to give, and when to say that none fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.coders.concepts.marks import is_cui_less
from auscult.coders.concepts.normaliser.candidates import Candidates
from auscult.coders.concepts.normaliser.company import Company
from auscult.core import Code
from auscult.core.counts import Counts

Floats = npt.NDArray[np.float64]
_NEVER = 1.01
_BESIDE = (_NEVER, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)
_NOTHING = (_NEVER, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
_BINS = 10


@dataclass(frozen=True)
class Decision:
    """From which probability on a concept is given beside the first, and CUI-less instead of it."""

    beside: float = _NEVER
    nothing: float = _NEVER


@dataclass(frozen=True, slots=True)
class Opinion:
    """What is thought of a mark, before anything is decided."""

    nothing: tuple[Code, float]
    first: tuple[Code, float] | None
    others: tuple[tuple[Code, float, float], ...]
    """Further candidates: their probability, and that of being right beside the first."""

    def decide(self, decision: Decision) -> list[tuple[Code, float]]:
        """The concepts with their probabilities, the likeliest first; CUI-less if none fits."""
        if self.first is None or self.nothing[1] >= decision.nothing:
            return [self.nothing]
        return [
            self.first,
            *((c, share) for c, share, too in self.others if too >= decision.beside),
        ]


def opinion(one: Candidates, shares: Floats, company: Company) -> Opinion:
    """What candidates and their probabilities come to."""
    order = np.argsort(-shares, kind="stable").tolist()
    nothing = next(at for at in order if is_cui_less(one.codes[at]))
    first = next((at for at in order if not is_cui_less(one.codes[at])), None)
    others = sorted(company.beside(one, shares), key=lambda item: -item[1])
    return Opinion(
        (one.codes[nothing], float(shares[nothing])),
        None if first is None else (one.codes[first], float(shares[first])),
        tuple((one.codes[at], float(shares[at]), too) for at, too in others),
    )


@dataclass(frozen=True)
class Tuned:
    """A decision and what it comes to on marks that were not learnt from."""

    decision: Decision
    measured: Mapping[str, Any] = field(default_factory=dict)


def tune(lists: Sequence[Candidates], opinions: Sequence[Opinion], *, several: bool) -> Tuned:
    """The decision that gets the most marks exactly right."""
    best, score = Decision(), -1
    for nothing in _NOTHING:
        for beside in _BESIDE if several else (_NEVER,):
            tried = Decision(beside, nothing)
            right = _exact(lists, opinions, tried)
            if right > score:
                best, score = tried, right
    return Tuned(best, _measured(lists, opinions, best))


def _exact(lists: Sequence[Candidates], opinions: Sequence[Opinion], decision: Decision) -> int:
    return sum(
        {code for code, _ in said.decide(decision)} == one.mark.codes
        for said, one in zip(opinions, lists, strict=True)
    )


def _measured(
    lists: Sequence[Candidates], opinions: Sequence[Opinion], decision: Decision
) -> dict[str, Any]:
    """Accuracy, CUI-less and calibration, for `coder.json`."""
    firsts = [said.decide(decision)[0] for said in opinions]
    right = [code in one.mark.codes for (code, _), one in zip(firsts, lists, strict=True)]
    said = [is_cui_less(code) for code, _ in firsts]
    meant = [all(map(is_cui_less, one.mark.codes)) for one in lists]
    both = sum(a and b for a, b in zip(said, meant, strict=True))
    counts = Counts(both, sum(said) - both, sum(meant) - both)
    reached = [bool(one.mark.codes.intersection(one.codes)) for one in lists]
    count = max(1, len(lists))
    return {
        "marks": len(lists),
        "first_is_right": sum(right) / count,
        "exactly_right": _exact(lists, opinions, decision) / count,
        "within_reach": sum(reached) / count,
        "cui_less": {"tp": counts.tp, "fp": counts.fp, "fn": counts.fn, "f1": counts.f1},
        "calibration_error": calibration_error([share for _, share in firsts], right),
    }


def calibration_error(sure: Sequence[float], right: Sequence[bool]) -> float:
    """The mean distance between how sure and how often right, over ten bins of sureness.

    >>> calibration_error([0.75, 0.75, 0.75, 0.75], [True, True, True, False])
    0.0
    """
    bins: dict[int, list[float]] = {}
    for share, hit in zip(sure, right, strict=True):
        bins.setdefault(min(int(share * _BINS), _BINS - 1), []).append(share - hit)
    return sum(abs(sum(gaps)) for gaps in bins.values()) / max(1, len(sure))
