"""From candidate probabilities to predicted concepts: one, several, or CUI-less."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.codes import is_cui_less
from auscult.core import Code
from auscult.core.counts import Counts
from auscult.models.entities.gold_mentions import GoldMention
from auscult.models.entities.linker.candidates import LinkCandidates
from auscult.models.entities.linker.second_concept import SecondConceptModel
from auscult.statistics.calibration import calibration_error

Floats = npt.NDArray[np.float64]
_NEVER = 1.01
_BESIDE = (_NEVER, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)
_NOTHING = (_NEVER, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
_LEAST = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7)
_MOST = 5
"""Maximum number of concepts predicted for a span."""


@dataclass(frozen=True)
class LinkDecision:
    """The thresholds for a further concept, and for CUI-less instead of the first concept.

    If training notes do not have the text, the probability of the first concept must also reach
    `least`: for such texts CUI-less is rarely likely in itself, but no concept is either. As long
    as the cumulative probability of the predicted concepts is at most `until`, the next is
    predicted too.
    """

    beside: float = _NEVER
    nothing: float = _NEVER
    least: float = 0.0
    until: float = -1.0


@dataclass(frozen=True, slots=True)
class LinkProbabilities:
    """The candidate probabilities of a mention, before any decision."""

    nothing: tuple[Code, float]
    first: tuple[Code, float] | None
    others: tuple[tuple[Code, float, float], ...]
    """Further candidates: their probability, and that of being right beside the first."""
    seen: bool = False
    """Whether training notes have the text."""
    ranked: tuple[tuple[Code, float], ...] = ()
    """All concepts, the likeliest first."""

    def decide(self, decision: LinkDecision) -> list[tuple[Code, float]]:
        """The concepts with their probabilities, the likeliest first; CUI-less if none fits.

        Concepts after CUI-less are those that come nearest.
        """
        given = self._given(decision)
        return given + [concept for concept, _ in self.further(given, decision.until)]

    def further(
        self, given: Sequence[tuple[Code, float]], until: float
    ) -> list[tuple[tuple[Code, float], float]]:
        """The further concepts, and the cumulative probability before each."""
        added: list[tuple[tuple[Code, float], float]] = []
        there = {code for code, _ in given}
        so_far = sum(share for _, share in given)
        for code, share in self.ranked:
            if so_far > until or len(given) + len(added) >= _MOST:
                break
            if code not in there:
                added.append(((code, share), so_far))
                so_far += share
        return added

    def _given(self, decision: LinkDecision) -> list[tuple[Code, float]]:
        if self.first is None or self.nothing[1] >= decision.nothing:
            return [self.nothing]
        if not self.seen and self.first[1] < decision.least:
            return [self.nothing]
        return [
            self.first,
            *((c, share) for c, share, too in self.others if too >= decision.beside),
        ]


def link_probabilities(
    one: LinkCandidates, shares: Floats, second: SecondConceptModel
) -> LinkProbabilities:
    """The probabilities of a mention's candidates, ordered for a decision."""
    order = np.argsort(-shares, kind="stable").tolist()
    nothing = next(at for at in order if is_cui_less(one.codes[at].value))
    first = next((at for at in order if not is_cui_less(one.codes[at].value)), None)
    others = sorted(second.beside(one, shares), key=lambda item: -item[1])
    return LinkProbabilities(
        (one.codes[nothing], float(shares[nothing])),
        None if first is None else (one.codes[first], float(shares[first])),
        tuple((one.codes[at], float(shares[at]), too) for at, too in others),
        one.seen,
        tuple(
            (one.codes[at], float(shares[at]))
            for at in order
            if not is_cui_less(one.codes[at].value)
        ),
    )


@dataclass(frozen=True)
class TunedDecision:
    """A decision rule with its metrics on mentions that it was not trained on."""

    decision: LinkDecision
    measured: Mapping[str, Any] = field(default_factory=dict)


def tune(
    lists: Sequence[LinkCandidates],
    probabilities: Sequence[LinkProbabilities],
    *,
    several: bool,
    least: float | None = None,
    cover: float | None = None,
) -> TunedDecision:
    """The decision that gets the most marks exactly right; then its least, unless that is given.

    `cover` is the part of the marks of which one concept given is to be right, however many it
    takes.
    """
    best, score = LinkDecision(), -1
    for nothing in _NOTHING:
        for beside in _BESIDE if several else (_NEVER,):
            tried = LinkDecision(beside, nothing)
            right = _exact(lists, probabilities, tried)
            if right > score:
                best, score = tried, right
    best = _with_least(lists, probabilities, best) if least is None else replace(best, least=least)
    measured = _measured(lists, probabilities, best)
    if cover is not None:
        best = replace(best, until=_until(lists, probabilities, best, cover))
        measured["covering"] = _covering(lists, probabilities, best)
    return TunedDecision(best, measured)


def _until(
    lists: Sequence[LinkCandidates],
    probabilities: Sequence[LinkProbabilities],
    decision: LinkDecision,
    cover: float,
) -> float:
    """The smallest cumulative probability that covers a share of the mentions.

    The quantile of what they come to before the right concept (Romano, Sesia & Candès 2020).
    """
    before = []
    for of_mark, one in zip(probabilities, lists, strict=True):
        given = of_mark.decide(decision)
        right = [-1.0] if any(one.mark.means(code) for code, _ in given) else []
        further = of_mark.further(given, _NEVER)
        right += [so_far for (code, _), so_far in further if one.mark.means(code)]
        before.append(right[0] if right else _NEVER)
    wanted = min(len(before), math.ceil(cover * len(before)))
    return sorted(before)[wanted - 1] if wanted else -1.0


def _covering(
    lists: Sequence[LinkCandidates],
    probabilities: Sequence[LinkProbabilities],
    decision: LinkDecision,
) -> dict[str, float]:
    """The share of mentions with a right concept predicted, and the concepts per mention."""
    given = [[code for code, _ in of_mark.decide(decision)] for of_mark in probabilities]
    covered = sum(any(map(one.mark.means, of)) for of, one in zip(given, lists, strict=True))
    count = max(1, len(lists))
    return {"covered": covered / count, "concepts_a_mark": sum(map(len, given)) / count}


def _with_least(
    lists: Sequence[LinkCandidates],
    probabilities: Sequence[LinkProbabilities],
    decision: LinkDecision,
) -> LinkDecision:
    """The least with the best CUI-less F1 on new text, of those that cost no mark over all.

    Of several that do alike, the middle one.
    """
    new = [
        (one, of_mark)
        for one, of_mark in zip(lists, probabilities, strict=True)
        if not of_mark.seen
    ]
    marks, of_new = [one for one, _ in new], [of_mark for _, of_mark in new]
    exact, first = _exact(marks, of_new, decision), _first(marks, of_new, decision)
    scores = {
        least: _cui_less(marks, of_new, tried).f1 or 0.0
        for least in _LEAST
        for tried in [replace(decision, least=least)]
        if _exact(marks, of_new, tried) >= exact and _first(marks, of_new, tried) >= first
    }
    top = max(scores.values())
    alike = [least for least, score in scores.items() if score == top]
    return replace(decision, least=alike[(len(alike) - 1) // 2] if top else 0.0)


def _exact(
    lists: Sequence[LinkCandidates],
    probabilities: Sequence[LinkProbabilities],
    decision: LinkDecision,
) -> int:
    return sum(
        _is_exact([code for code, _ in of_mark.decide(decision)], one.mark)
        for of_mark, one in zip(probabilities, lists, strict=True)
    )


def _is_exact(given: Sequence[Code], mark: GoldMention) -> bool:
    return all(map(mark.means, given)) and (
        is_cui_less(given[0].value) or len(given) == len(mark.codes)
    )


def _first(
    lists: Sequence[LinkCandidates],
    probabilities: Sequence[LinkProbabilities],
    decision: LinkDecision,
) -> int:
    return sum(
        one.mark.means(of_mark.decide(decision)[0][0])
        for of_mark, one in zip(probabilities, lists, strict=True)
    )


def _cui_less(
    lists: Sequence[LinkCandidates],
    probabilities: Sequence[LinkProbabilities],
    decision: LinkDecision,
) -> Counts:
    """Counts of predicting CUI-less; mentions with near matches are left out.

    `auscult.evaluate.entities` counts the same.
    """
    gold, predicted = set(), set()
    for at, (one, of_mark) in enumerate(zip(lists, probabilities, strict=True)):
        if not one.mark.near:
            gold |= {at} if one.mark.is_cui_less else set()
            predicted |= {at} if is_cui_less(of_mark.decide(decision)[0][0].value) else set()
    return Counts.of(gold, predicted)


def _measured(
    lists: Sequence[LinkCandidates],
    probabilities: Sequence[LinkProbabilities],
    decision: LinkDecision,
) -> dict[str, Any]:
    """Accuracy, CUI-less and calibration, for `model.json`."""
    firsts = [of_mark.decide(decision)[0] for of_mark in probabilities]
    right = [one.mark.means(code) for (code, _), one in zip(firsts, lists, strict=True)]
    reached = [any(map(one.mark.means, one.codes)) for one in lists]
    new = [at for at, of_mark in enumerate(probabilities) if not of_mark.seen]
    count = max(1, len(lists))

    def counted(chosen: Iterable[int]) -> dict[str, Any]:
        at = list(chosen)
        counts = _cui_less([lists[a] for a in at], [probabilities[a] for a in at], decision)
        return {**asdict(counts), "f1": counts.f1}

    return {
        "marks": len(lists),
        "first_is_right": sum(right) / count,
        "exactly_right": _exact(lists, probabilities, decision) / count,
        "within_reach": sum(reached) / count,
        "cui_less": counted(range(len(lists))),
        "cui_less_of_new_text": counted(new),
        "calibration_error": calibration_error(
            np.array([share for _, share in firsts]), np.array(right, bool)
        ),
    }
