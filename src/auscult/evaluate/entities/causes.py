"""Error causes: one for each gold span without a right concept on exactly the span.

| cause | the system |
| --- | --- |
| CUI-less confusion | predicted a concept where none fits, or CUI-less where one does |
| near synonym | predicted a parent, a child or a concept of nearly the same name and type |
| wrong sense | predicted a concept that the same text has elsewhere |
| wrong type | predicted a concept that shares no semantic type with gold's |
| other concept | predicted any other concept |
| boundary | predicted nothing on the span, but a right concept on an overlapping one |
| boundary and concept | predicted nothing on the span, and no right concept on an overlapping one |
| missed | predicted no overlapping span, or only exact matches of other gold spans |

The first that holds is the cause. A prediction that is right on its own exact span is not counted
as an attempt at another span. Names, types and parents are the vocabulary's. A text has a concept
elsewhere if it is a name of the concept in the vocabulary, or is mapped to it in training.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from auscult.evaluate.entities.end_to_end import EndToEndCounts
from auscult.evaluate.entities.linking import Answers
from auscult.evaluate.entities.marked_spans import NONE, Bools, Ints, MarkedSpans
from auscult.evaluate.entities.terminology import Terminology
from auscult.evaluate.entities.training import TrainingUses


class ErrorCause(StrEnum):
    """Why a gold span is wrong."""

    MISSED = "missed"
    BOUNDARY = "boundary"
    BOUNDARY_AND_CONCEPT = "boundary and concept"
    CUI_LESS = "CUI-less confusion"
    NEAR_SYNONYM = "near synonym"
    WRONG_SENSE = "wrong sense"
    WRONG_TYPE = "wrong type"
    OTHER_CONCEPT = "other concept"


CAUSES = tuple(ErrorCause)
DEFINITIONS = {
    ErrorCause.MISSED: (
        "no overlapping span is predicted, or only spans that exactly match other gold spans"
    ),
    ErrorCause.BOUNDARY: "a right concept on an overlapping span",
    ErrorCause.BOUNDARY_AND_CONCEPT: "an overlapping span without a right concept",
    ErrorCause.CUI_LESS: "a concept where none fits, or CUI-less where one does",
    ErrorCause.NEAR_SYNONYM: (
        "a parent, a child, a cross-reference or a concept of nearly the same name"
    ),
    ErrorCause.WRONG_SENSE: "a concept that the same text has elsewhere",
    ErrorCause.WRONG_TYPE: "a concept that shares no semantic type with gold's",
    ErrorCause.OTHER_CONCEPT: "any other concept",
}
"""The prediction of the system."""
RIGHT = -1


def causes(
    gold: MarkedSpans,
    system: MarkedSpans,
    given: Answers,
    found: EndToEndCounts,
    asked: Bools,
    texts: Sequence[str | None],
    terminology: Terminology | None,
    training: TrainingUses | None,
) -> Ints:
    """For each gold span its cause as a place in `CAUSES`, `RIGHT` if right or not asked about."""
    placed = np.full(len(gold), RIGHT, dtype=np.int64)
    wrong = asked & (given.shared == 0)
    placed[wrong] = CAUSES.index(ErrorCause.MISSED)
    near = _attempted(gold, system, given, found)
    placed[wrong & near] = CAUSES.index(ErrorCause.BOUNDARY_AND_CONCEPT)
    placed[wrong & found.is_near] = CAUSES.index(ErrorCause.BOUNDARY)
    classifier = _CauseClassifier(terminology, training)
    held = gold.concepts_of()
    first = given.first.tolist()
    answered = wrong & (given.same >= 0)
    placed[wrong & given.is_given & (given.same < 0)] = CAUSES.index(ErrorCause.CUI_LESS)
    for span in np.flatnonzero(answered).tolist():
        placed[span] = CAUSES.index(classifier.cause(held[span], first[span], texts[span]))
    return placed


def _attempted(
    gold: MarkedSpans, system: MarkedSpans, given: Answers, found: EndToEndCounts
) -> Bools:
    """Gold spans overlapped by a span of the system that is no other gold span exactly."""
    accounted = np.zeros(len(system), dtype=np.bool_)
    accounted[given.same[given.same >= 0]] = True
    one, other = found.pairs
    near = np.zeros(len(gold), dtype=np.bool_)
    near[one[~accounted[other]]] = True
    return near


class _CauseClassifier:
    """Classifies a wrong concept on the right span by its cause; results are cached."""

    def __init__(self, terminology: Terminology | None, training: TrainingUses | None) -> None:
        self._terms = terminology
        self._training = training
        self._known: dict[tuple[tuple[int, ...], int, str | None], ErrorCause] = {}

    def cause(self, gold: tuple[int, ...], given: int, text: str | None) -> ErrorCause:
        """The cause of predicting a concept first on a span with other gold concepts."""
        key = (gold, given, text)
        if key not in self._known:
            self._known[key] = self._cause(gold, given, text)
        return self._known[key]

    def _cause(self, gold: tuple[int, ...], given: int, text: str | None) -> ErrorCause:
        real = [concept for concept in gold if concept != NONE]
        if given == NONE or not real:
            return ErrorCause.CUI_LESS
        know = self._terms
        types = frozenset(() if know is None else know.types(given))
        held = frozenset(t for c in real for t in (() if know is None else know.types(c)))
        is_other_type = bool(types and held) and not types & held
        if know is not None and any(know.alike(min(c, given), max(c, given)) for c in real):
            return ErrorCause.WRONG_TYPE if is_other_type else ErrorCause.NEAR_SYNONYM
        if (
            text is not None
            and self._means(text, given)
            and any(self._means(text, c) for c in real)
        ):
            return ErrorCause.WRONG_SENSE
        return ErrorCause.WRONG_TYPE if is_other_type else ErrorCause.OTHER_CONCEPT

    def _means(self, text: str, concept: int) -> bool:
        training, know = self._training, self._terms
        if training is not None and concept in training.by_text.get(text, ()):
            return True
        return know is not None and know.code(concept) in know.called(text)
