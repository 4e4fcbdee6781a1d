"""From probabilities to concepts: how many to give, and when to say that none fits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.coders.concepts.marks import Mark
from auscult.coders.concepts.normaliser.candidates import Candidates
from auscult.coders.concepts.normaliser.company import Company
from auscult.codes import is_cui_less
from auscult.core import Code
from auscult.core.counts import Counts
from auscult.statistics.calibration import calibration_error

Floats = npt.NDArray[np.float64]
_NEVER = 1.01
_BESIDE = (_NEVER, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)
_NOTHING = (_NEVER, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
_LEAST = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7)
_MOST = 5
"""Concepts of a span at most, however unsure."""


@dataclass(frozen=True)
class Decision:
    """From which probability on a concept is given beside the first, and CUI-less instead of it.

    Where training notes do not have the text, the first concept must be as likely as `least` too:
    that none fits is then hardly ever likely in itself, but no concept is either. As long as the
    probabilities of what is given come to no more than `until`, the next likeliest is given too.
    """

    beside: float = _NEVER
    nothing: float = _NEVER
    least: float = 0.0
    until: float = -1.0


@dataclass(frozen=True, slots=True)
class Opinion:
    """What is thought of a mark, before anything is decided."""

    nothing: tuple[Code, float]
    first: tuple[Code, float] | None
    others: tuple[tuple[Code, float, float], ...]
    """Further candidates: their probability, and that of being right beside the first."""
    seen: bool = False
    """Whether training notes have the text."""
    ranked: tuple[tuple[Code, float], ...] = ()
    """All concepts, the likeliest first."""

    def decide(self, decision: Decision) -> list[tuple[Code, float]]:
        """The concepts with their probabilities, the likeliest first; CUI-less if none fits.

        Concepts after CUI-less are those that come nearest.
        """
        given = self._given(decision)
        return given + [concept for concept, _ in self.further(given, decision.until)]

    def further(
        self, given: Sequence[tuple[Code, float]], until: float
    ) -> list[tuple[tuple[Code, float], float]]:
        """What is given besides, and to how much the probabilities had come before each."""
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

    def _given(self, decision: Decision) -> list[tuple[Code, float]]:
        if self.first is None or self.nothing[1] >= decision.nothing:
            return [self.nothing]
        if not self.seen and self.first[1] < decision.least:
            return [self.nothing]
        return [
            self.first,
            *((c, share) for c, share, too in self.others if too >= decision.beside),
        ]


def opinion(one: Candidates, shares: Floats, company: Company) -> Opinion:
    """What candidates and their probabilities come to."""
    order = np.argsort(-shares, kind="stable").tolist()
    nothing = next(at for at in order if is_cui_less(one.codes[at].value))
    first = next((at for at in order if not is_cui_less(one.codes[at].value)), None)
    others = sorted(company.beside(one, shares), key=lambda item: -item[1])
    return Opinion(
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
class Tuned:
    """A decision and what it comes to on marks that were not learnt from."""

    decision: Decision
    measured: Mapping[str, Any] = field(default_factory=dict)


def tune(
    lists: Sequence[Candidates],
    opinions: Sequence[Opinion],
    *,
    several: bool,
    least: float | None = None,
    cover: float | None = None,
) -> Tuned:
    """The decision that gets the most marks exactly right; then its least, unless that is given.

    `cover` is the part of the marks of which one concept given is to be right, however many it
    takes.
    """
    best, score = Decision(), -1
    for nothing in _NOTHING:
        for beside in _BESIDE if several else (_NEVER,):
            tried = Decision(beside, nothing)
            right = _exact(lists, opinions, tried)
            if right > score:
                best, score = tried, right
    best = _with_least(lists, opinions, best) if least is None else replace(best, least=least)
    measured = _measured(lists, opinions, best)
    if cover is not None:
        best = replace(best, until=_until(lists, opinions, best, cover))
        measured["covering"] = _covering(lists, opinions, best)
    return Tuned(best, measured)


def _until(
    lists: Sequence[Candidates], opinions: Sequence[Opinion], decision: Decision, cover: float
) -> float:
    """To how much the probabilities must come, at the least, for a part of marks to be covered.

    The quantile of what they come to before the right concept (Romano, Sesia & Candès 2020).
    """
    before = []
    for said, one in zip(opinions, lists, strict=True):
        given = said.decide(decision)
        right = [-1.0] if any(one.mark.means(code) for code, _ in given) else []
        further = said.further(given, _NEVER)
        right += [so_far for (code, _), so_far in further if one.mark.means(code)]
        before.append(right[0] if right else _NEVER)
    wanted = min(len(before), math.ceil(cover * len(before)))
    return sorted(before)[wanted - 1] if wanted else -1.0


def _covering(
    lists: Sequence[Candidates], opinions: Sequence[Opinion], decision: Decision
) -> dict[str, float]:
    """For how many marks one concept given is right, and how many are given."""
    given = [[code for code, _ in said.decide(decision)] for said in opinions]
    covered = sum(any(map(one.mark.means, of)) for of, one in zip(given, lists, strict=True))
    count = max(1, len(lists))
    return {"covered": covered / count, "concepts_a_mark": sum(map(len, given)) / count}


def _with_least(
    lists: Sequence[Candidates], opinions: Sequence[Opinion], decision: Decision
) -> Decision:
    """The least with the best CUI-less F1 on new text, of those that cost no mark over all.

    Of several that do alike, the middle one.
    """
    new = [(one, said) for one, said in zip(lists, opinions, strict=True) if not said.seen]
    marks, thoughts = [one for one, _ in new], [said for _, said in new]
    exact, first = _exact(marks, thoughts, decision), _first(marks, thoughts, decision)
    scores = {
        least: _cui_less(marks, thoughts, tried).f1 or 0.0
        for least in _LEAST
        for tried in [replace(decision, least=least)]
        if _exact(marks, thoughts, tried) >= exact and _first(marks, thoughts, tried) >= first
    }
    top = max(scores.values())
    alike = [least for least, score in scores.items() if score == top]
    return replace(decision, least=alike[(len(alike) - 1) // 2] if top else 0.0)


def _exact(lists: Sequence[Candidates], opinions: Sequence[Opinion], decision: Decision) -> int:
    return sum(
        _is_exact([code for code, _ in said.decide(decision)], one.mark)
        for said, one in zip(opinions, lists, strict=True)
    )


def _is_exact(given: Sequence[Code], mark: Mark) -> bool:
    return all(map(mark.means, given)) and (
        is_cui_less(given[0].value) or len(given) == len(mark.codes)
    )


def _first(lists: Sequence[Candidates], opinions: Sequence[Opinion], decision: Decision) -> int:
    return sum(
        one.mark.means(said.decide(decision)[0][0])
        for said, one in zip(opinions, lists, strict=True)
    )


def _cui_less(
    lists: Sequence[Candidates], opinions: Sequence[Opinion], decision: Decision
) -> Counts:
    """Of saying that no concept fits; left out where one comes near, since either is right there.

    `auscult.evaluate.entities` counts the same.
    """
    meant, said = set(), set()
    for at, (one, thought) in enumerate(zip(lists, opinions, strict=True)):
        if not one.mark.near:
            meant |= {at} if one.mark.is_cui_less else set()
            said |= {at} if is_cui_less(thought.decide(decision)[0][0].value) else set()
    return Counts.of(meant, said)


def _measured(
    lists: Sequence[Candidates], opinions: Sequence[Opinion], decision: Decision
) -> dict[str, Any]:
    """Accuracy, CUI-less and calibration, for `coder.json`."""
    firsts = [said.decide(decision)[0] for said in opinions]
    right = [one.mark.means(code) for (code, _), one in zip(firsts, lists, strict=True)]
    reached = [any(map(one.mark.means, one.codes)) for one in lists]
    new = [at for at, said in enumerate(opinions) if not said.seen]
    count = max(1, len(lists))

    def counted(chosen: Iterable[int]) -> dict[str, Any]:
        at = list(chosen)
        counts = _cui_less([lists[a] for a in at], [opinions[a] for a in at], decision)
        return {**asdict(counts), "f1": counts.f1}

    return {
        "marks": len(lists),
        "first_is_right": sum(right) / count,
        "exactly_right": _exact(lists, opinions, decision) / count,
        "within_reach": sum(reached) / count,
        "cui_less": counted(range(len(lists))),
        "cui_less_of_new_text": counted(new),
        "calibration_error": calibration_error(
            np.array([share for _, share in firsts]), np.array(right, bool)
        ),
    }
