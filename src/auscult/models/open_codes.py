"""Codes outside a model's label space, which a code book can still find in a chart."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auscult.core import Annotation, Code, Note, Span, Status
from auscult.core.annotation import WHY
from auscult.core.counts import Counts

if TYPE_CHECKING:
    from auscult.models.chart_scoring import ScoredChart
    from auscult.models.examples import Example
    from auscult.models.kept_readings import Reading
    from auscult.models.label_space import LabelSpace

_DOUBT = 3.0
"""Codes that are imagined to be wrong beside those that were found, so that few charts give none.

On parts of CodiEsp and of the 2007 challenge of 10 to 600 charts, open codes lost nothing with 3,
and most of what they gained was kept (docs/decisions/0017-codebook.md).
"""
_NEVER = 2.0
"""Above every probability."""


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


@dataclass(frozen=True, slots=True)
class OpenThreshold:
    """The probability from which codes outside the label space are given, and their counts.

    The counts are of the charts that it was tuned on, in which such a code is one that no other
    patient has.
    """

    threshold: float
    counts: Counts

    @property
    def is_passed(self) -> bool:
        """Whether any code was given to those charts."""
        return self.counts.tp + self.counts.fp > 0


def tune_open(
    readings: Sequence[Reading], made: Sequence[Example], labels: LabelSpace, closed: Counts
) -> OpenThreshold:
    """The open threshold; `closed` are the counts of the codes of the label space.

    Half of the F1 that is reached is where one more code leaves the micro-F1 as it is (Lipton et
    al. 2014). Half of that is taken: those codes are found by nothing else, and on CodiEsp this
    finds a fifth more of them for 0.003 of micro-F1. Where fewer of them were right than their
    probabilities say, and where there were few to say so, the threshold is higher by that factor.
    """
    least = (closed.f1 or 1.0) / 4
    scored = [
        (found.score, found.code in _gold(one, labels))
        for reading, one in zip(readings, made, strict=True)
        for found in reading.beyond
    ]
    passing = [(score, is_right) for score, is_right in scored if score >= least]
    expected = sum(score for score, _ in passing)
    reliability = sum(is_right for _, is_right in passing) / (expected + _DOUBT)
    threshold = _NEVER
    if reliability * _NEVER > least:
        threshold = round(max(least, least / reliability), 4)
    given = [is_right for score, is_right in passing if score >= threshold]
    right, missed = sum(given), sum(len(one.unseen) for one in made)
    return OpenThreshold(threshold, Counts(right, len(given) - right, max(0, missed - right)))


def _gold(one: Example, labels: LabelSpace) -> frozenset[Code]:
    return one.unseen | {labels.codes[at] for at in one.codes.tolist()}


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
