"""The probability that an occurrence of a term is annotated: term reliability.

It is the share of the string's training occurrences that were annotated, smoothed toward that of
terms of the same kind: matched in the same way, with as many words, and of the same semantic type.
Every string counts once for its kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auscult.core import Code, Span
from auscult.core.counts import Counts
from auscult.models.entities.term_occurrences import MatchKind, TermOccurrence

_WEIGHT = 1.0
"""Weight of the smoothing, in occurrences."""
_FEW = 4.0
_STEPS = np.linspace(0.05, 0.95, 19)


TypeOf = Callable[[Code], str]
"""The semantic types of a concept, as one string."""


def untyped(_code: Code) -> str:
    """No type, where a vocabulary has none."""
    return ""


@dataclass(frozen=True)
class TermReliability:
    """Occurrences and annotated occurrences of strings, and the same for kinds of terms."""

    strings: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    kinds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    type_of: TypeOf = field(default=untyped, compare=False)
    _remembered: dict[tuple[str, MatchKind], float] = field(
        default_factory=dict, init=False, compare=False
    )

    def __repr__(self) -> str:
        return f"TermReliability({len(self.strings)} strings, {len(self.kinds)} kinds)"

    def of(self, one: TermOccurrence, *, without: int | None = None) -> float:
        """The probability that an occurrence is annotated.

        `without` leaves out the occurrence itself, which was marked (1) or not (0).
        """
        if without is None:
            key = (one.normal, one.how)
            likely = self._remembered.get(key)
            if likely is None:
                likely = self._remembered[key] = self._likely(one, 0, 0)
            return likely
        return self._likely(one, 1, without)

    def _likely(self, one: TermOccurrence, there_less: int, marked_less: int) -> float:
        there, marked = self.strings.get(one.normal, (0, 0))
        there, marked = there - there_less, marked - marked_less
        every, hit = self.kinds.get(_kind(one, self.type_of), (0, 0))
        like = (hit + _FEW * 0.5) / (every + _FEW)
        return (marked + _WEIGHT * like) / (there + _WEIGHT)

    def kept(
        self, occurrences: Sequence[TermOccurrence], least: float, *, nested: bool
    ) -> list[TermOccurrence]:
        """The occurrences above the threshold; without `nested`, none inside another."""
        return _outer([o for o in occurrences if self.of(o) >= least], nested=nested)

    @classmethod
    def fit(
        cls,
        found: Sequence[Sequence[TermOccurrence]],
        gold: Sequence[Set[Span]],
        *,
        nested: bool,
        type_of: TypeOf = untyped,
    ) -> tuple[TermReliability, float, dict[str, Any]]:
        """Count the occurrences of terms in notes and the annotated spans.

        Returns also the threshold with the best F1, each occurrence scored without itself, and the
        metrics there.
        """
        there: Counter[tuple[str, str]] = Counter()
        marked: Counter[tuple[str, str]] = Counter()
        for of_note, spans in zip(found, gold, strict=True):
            for one in of_note:
                string = (one.normal, _kind(one, type_of))
                there[string] += 1
                marked[string] += one.span in spans
        strings: dict[str, tuple[int, int]] = {}
        kinds: dict[str, tuple[float, float]] = {}
        for (text, kind), count in there.items():
            hits = marked[text, kind]
            before, hit = strings.get(text, (0, 0))
            strings[text] = before + count, hit + hits
            of_kind, share = kinds.get(kind, (0.0, 0.0))
            kinds[kind] = of_kind + 1, share + hits / count
        reliability = cls(strings, kinds, type_of)
        likelihoods = [
            [(one, reliability.of(one, without=int(one.span in spans))) for one in of_note]
            for of_note, spans in zip(found, gold, strict=True)
        ]
        best, score, counts = 0.0, -1.0, Counts()
        for least in _STEPS.tolist():
            total = Counts()
            for likely_ones, spans in zip(likelihoods, gold, strict=True):
                kept = _outer(
                    [one for one, likely in likely_ones if likely >= least], nested=nested
                )
                total = total + Counts.of(spans, {one.span for one in kept})
            if (total.f1 or 0.0) > score:
                best, score, counts = least, total.f1 or 0.0, total
        measured = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
        return reliability, best, measured

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"strings": dict(self.strings), "kinds": dict(self.kinds)}

    @classmethod
    def from_dict(cls, held: Mapping[str, Any], type_of: TypeOf = untyped) -> TermReliability:
        """What `to_dict` gave."""
        return cls(
            {text: (int(n), int(k)) for text, (n, k) in held["strings"].items()},
            {kind: (float(n), float(k)) for kind, (n, k) in held["kinds"].items()},
            type_of,
        )


def _kind(one: TermOccurrence, type_of: TypeOf) -> str:
    words = one.normal.count(" ") + 1
    size = "short" if len(one.normal) <= 4 else str(min(words, 3))
    usual = min(one.readings, key=lambda code: (-one.readings[code], code))
    return f"{one.how.name.lower()} {size} {type_of(usual)}"


def _outer(occurrences: Iterable[TermOccurrence], *, nested: bool) -> list[TermOccurrence]:
    if nested:
        return list(occurrences)
    kept: list[TermOccurrence] = []
    reach = -1
    for one in occurrences:  # by where they begin, longer ones first
        if one.span.begin >= reach:
            kept.append(one)
            reach = one.span.end
    return kept
