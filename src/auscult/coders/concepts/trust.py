"""How likely an occurrence of a term is to be marked: by its own record, and that of its like.

Those alike were found in the same way, have as many words, and mean concepts of the same semantic
type. Every string counts once there, however often it comes: it stands for strings never met.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auscult.coders.concepts.occurrences import How, Occurrence
from auscult.core import Code, Span
from auscult.core.counts import Counts

_WEIGHT = 1.0
"""How many occurrences the record of its like counts for."""
_FEW = 4.0
_STEPS = np.linspace(0.05, 0.95, 19)


TypeOf = Callable[[Code], str]
"""The semantic types of a concept, as one string."""


def untyped(_code: Code) -> str:
    """No type, where a vocabulary has none."""
    return ""


@dataclass(frozen=True)
class Trust:
    """Of strings, how often they came and were marked; of kinds of terms, the same by strings."""

    strings: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    kinds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    type_of: TypeOf = field(default=untyped, compare=False)
    _remembered: dict[tuple[str, How], float] = field(
        default_factory=dict, init=False, compare=False
    )

    def __repr__(self) -> str:
        return f"Trust({len(self.strings)} strings, {len(self.kinds)} kinds)"

    def of(self, one: Occurrence, *, without: int | None = None) -> float:
        """The likelihood that an occurrence is marked.

        `without` leaves out the occurrence itself, which was marked (1) or not (0).
        """
        if without is None:
            key = (one.normal, one.how)
            likely = self._remembered.get(key)
            if likely is None:
                likely = self._remembered[key] = self._likely(one, 0, 0)
            return likely
        return self._likely(one, 1, without)

    def _likely(self, one: Occurrence, there_less: int, marked_less: int) -> float:
        there, marked = self.strings.get(one.normal, (0, 0))
        there, marked = there - there_less, marked - marked_less
        every, hit = self.kinds.get(_kind(one, self.type_of), (0, 0))
        like = (hit + _FEW * 0.5) / (every + _FEW)
        return (marked + _WEIGHT * like) / (there + _WEIGHT)

    def kept(
        self, occurrences: Sequence[Occurrence], least: float, *, nested: bool
    ) -> list[Occurrence]:
        """Those likely enough; unless nested ones are wanted, none inside another."""
        return _outer([o for o in occurrences if self.of(o) >= least], nested=nested)

    @classmethod
    def learn(
        cls,
        found: Sequence[Sequence[Occurrence]],
        gold: Sequence[Set[Span]],
        *,
        nested: bool,
        type_of: TypeOf = untyped,
    ) -> tuple[Trust, float, dict[str, Any]]:
        """Learn from the occurrences in notes and the spans marked there.

        Gives the least likelihood with the best F1 too, each occurrence judged without itself, and
        the counts there.
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
        trust = cls(strings, kinds, type_of)
        judged = [
            [(one, trust.of(one, without=int(one.span in spans))) for one in of_note]
            for of_note, spans in zip(found, gold, strict=True)
        ]
        best, score, counts = 0.0, -1.0, Counts()
        for least in _STEPS.tolist():
            total = Counts()
            for judgements, spans in zip(judged, gold, strict=True):
                kept = _outer([one for one, likely in judgements if likely >= least], nested=nested)
                total = total + Counts.of(spans, {one.span for one in kept})
            if (total.f1 or 0.0) > score:
                best, score, counts = least, total.f1 or 0.0, total
        measured = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
        return trust, best, measured

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"strings": dict(self.strings), "kinds": dict(self.kinds)}

    @classmethod
    def from_dict(cls, held: Mapping[str, Any], type_of: TypeOf = untyped) -> Trust:
        """What `to_dict` gave."""
        return cls(
            {text: (int(n), int(k)) for text, (n, k) in held["strings"].items()},
            {kind: (float(n), float(k)) for kind, (n, k) in held["kinds"].items()},
            type_of,
        )


def _kind(one: Occurrence, type_of: TypeOf) -> str:
    words = one.normal.count(" ") + 1
    size = "short" if len(one.normal) <= 4 else str(min(words, 3))
    usual = min(one.readings, key=lambda code: (-one.readings[code], code))
    return f"{one.how.name.lower()} {size} {type_of(usual)}"


def _outer(occurrences: Iterable[Occurrence], *, nested: bool) -> list[Occurrence]:
    if nested:
        return list(occurrences)
    kept: list[Occurrence] = []
    reach = -1
    for one in occurrences:  # by where they begin, longer ones first
        if one.span.begin >= reach:
            kept.append(one)
            reach = one.span.end
    return kept
