"""Codes outside a model's label space, which a code book can still find in a chart."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auscult.core import Annotation, Code, Note, Span, Status
from auscult.core.annotation import WHY

if TYPE_CHECKING:
    from auscult.models.chart_scoring import ScoredChart


@dataclass(frozen=True, slots=True)
class OpenEvidence:
    """One mention of a code: the note, its words, and how they led to the code."""

    note: Note = field(repr=False)
    spans: tuple[Span, ...]
    why: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class OpenCode:
    """A code outside the label space, with its probability and every mention of it."""

    code: Code
    score: float
    evidence: tuple[OpenEvidence, ...]


def open_scores(reading: ScoredChart) -> dict[Code, float]:
    """The probabilities of the codes outside the label space."""
    return {one.code: one.score for one in reading.beyond}


def decode_open(
    reading: ScoredChart,
    threshold: float,
    annotator: str,
    *,
    never_empty: bool,
    ranked: int,
    asked: Collection[Code],
) -> Iterator[Annotation]:
    """Annotations for codes outside the label space, one for each mention, the best code first.

    As of other codes: those that pass the threshold are given, some of the others are ranked, and
    those that were asked for have their evidence.
    """
    ordered = sorted(reading.beyond, key=lambda one: (-one.score, one.code))
    given = sum(one.score >= threshold for one in ordered)
    if never_empty and not given:
        given = 1
    for place, one in enumerate(ordered):
        if place < given:
            status = Status.GIVEN
        elif place < given + ranked:
            status = Status.RANKED
        elif one.code in asked:
            status = Status.ASKED
        else:
            continue
        for found in one.evidence:
            yield Annotation(
                annotator, one.code, found.note.chart_id, found.note.note_id, found.spans,
                one.score, status, {WHY: found.why},
            )  # fmt: skip
        if not one.evidence:
            whole = reading.text.chart_id
            yield Annotation(annotator, one.code, whole, score=one.score, status=status)
