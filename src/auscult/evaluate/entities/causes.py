"""Why a gold span is wrong: one cause for each span without a right concept on exactly it.

| cause | the system |
| --- | --- |
| CUI-less confusion | gave a concept where none fits, or CUI-less where one does |
| near synonym | gave a parent, a child or a concept of nearly the same name, of the same type |
| wrong sense | gave something that the text means elsewhere |
| wrong type | gave a concept that shares no semantic type with gold's |
| other concept | gave any other concept |
| boundary | gave nothing on the span, but a right concept on one that overlaps it |
| boundary and concept | gave nothing on the span, and no right concept on one that overlaps it |
| missed | gave no span there, or only such as are other gold spans exactly |

The first that holds is the cause. What is right on the very span it was given on is accounted for,
and no attempt at another span.
Names, types and parents are the vocabulary's. A text means a concept elsewhere when the vocabulary
calls it so or training maps it so.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from auscult.evaluate.entities.end_to_end import Found
from auscult.evaluate.entities.marked import NONE, Bools, Ints, Marked
from auscult.evaluate.entities.normalisation import Answers
from auscult.evaluate.entities.terminology import Terminology
from auscult.evaluate.entities.training import Uses


class Cause(StrEnum):
    """Why a gold span is wrong."""

    MISSED = "missed"
    BOUNDARY = "boundary"
    BOUNDARY_AND_CONCEPT = "boundary and concept"
    CUI_LESS = "CUI-less confusion"
    NEAR_SYNONYM = "near synonym"
    WRONG_SENSE = "wrong sense"
    WRONG_TYPE = "wrong type"
    OTHER_CONCEPT = "other concept"


CAUSES = tuple(Cause)
SAYS = {
    Cause.MISSED: "no span there, or only such as are other gold spans exactly",
    Cause.BOUNDARY: "a right concept, on a span that overlaps",
    Cause.BOUNDARY_AND_CONCEPT: "a span that overlaps, without a right concept on it",
    Cause.CUI_LESS: "a concept where none fits, or CUI-less where one does",
    Cause.NEAR_SYNONYM: "a parent, a child, a cross-reference or a concept of nearly the same name",
    Cause.WRONG_SENSE: "a concept that the text means elsewhere",
    Cause.WRONG_TYPE: "a concept without a semantic type in common with gold's",
    Cause.OTHER_CONCEPT: "any other concept",
}
"""What the system gave."""
RIGHT = -1


def causes(
    gold: Marked,
    system: Marked,
    given: Answers,
    found: Found,
    asked: Bools,
    texts: Sequence[str | None],
    terminology: Terminology | None,
    training: Uses | None,
) -> Ints:
    """For each gold span its cause as a place in `CAUSES`, `RIGHT` if right or not asked about."""
    placed = np.full(len(gold), RIGHT, dtype=np.int64)
    wrong = asked & (given.shared == 0)
    placed[wrong] = CAUSES.index(Cause.MISSED)
    near = _attempted(gold, system, given, found)
    placed[wrong & near] = CAUSES.index(Cause.BOUNDARY_AND_CONCEPT)
    placed[wrong & found.is_near] = CAUSES.index(Cause.BOUNDARY)
    judge = _Judge(terminology, training)
    held = gold.concepts_of()
    first = given.first.tolist()
    answered = wrong & (given.same >= 0)
    placed[wrong & given.is_given & (given.same < 0)] = CAUSES.index(Cause.CUI_LESS)
    for span in np.flatnonzero(answered).tolist():
        placed[span] = CAUSES.index(judge.cause(held[span], first[span], texts[span]))
    return placed


def _attempted(gold: Marked, system: Marked, given: Answers, found: Found) -> Bools:
    """Gold spans overlapped by a span of the system that is no other gold span exactly."""
    accounted = np.zeros(len(system), dtype=np.bool_)
    accounted[given.same[given.same >= 0]] = True
    one, other = found.pairs
    near = np.zeros(len(gold), dtype=np.bool_)
    near[one[~accounted[other]]] = True
    return near


class _Judge:
    """Tells causes of a wrong concept on the right span apart; remembers what it has judged."""

    def __init__(self, terminology: Terminology | None, training: Uses | None) -> None:
        self._terms = terminology
        self._training = training
        self._judged: dict[tuple[tuple[int, ...], int, str | None], Cause] = {}

    def cause(self, gold: tuple[int, ...], given: int, text: str | None) -> Cause:
        """The cause of giving a concept first on a span with other gold concepts."""
        key = (gold, given, text)
        if key not in self._judged:
            self._judged[key] = self._cause(gold, given, text)
        return self._judged[key]

    def _cause(self, gold: tuple[int, ...], given: int, text: str | None) -> Cause:
        real = [concept for concept in gold if concept != NONE]
        if given == NONE or not real:
            return Cause.CUI_LESS
        know = self._terms
        types = frozenset(() if know is None else know.types(given))
        held = frozenset(t for c in real for t in (() if know is None else know.types(c)))
        is_other_type = bool(types and held) and not types & held
        if know is not None and any(know.alike(min(c, given), max(c, given)) for c in real):
            return Cause.WRONG_TYPE if is_other_type else Cause.NEAR_SYNONYM
        if (
            text is not None
            and self._means(text, given)
            and any(self._means(text, c) for c in real)
        ):
            return Cause.WRONG_SENSE
        return Cause.WRONG_TYPE if is_other_type else Cause.OTHER_CONCEPT

    def _means(self, text: str, concept: int) -> bool:
        training, know = self._training, self._terms
        if training is not None and concept in training.by_text.get(text, ()):
            return True
        return know is not None and know.code(concept) in know.called(text)
