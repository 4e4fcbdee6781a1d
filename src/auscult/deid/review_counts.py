"""The numbers of notes before and after review, as in Table 2 of the 2007 challenge paper."""

from __future__ import annotations

from auscult.corpus.history import COLLECTION
from auscult.corpus.sampling import ExclusionStep

INSPECTED = "manual inspection for anonymization problems"
UNREVIEWED = "automatic de-identification, without review"


def review_steps(notes: int, deleted: int, *, is_reviewed: bool) -> tuple[ExclusionStep, ...]:
    """The steps of a de-identification with the number of notes left after each.

    >>> [step.left for step in review_steps(4055, 1839, is_reviewed=True)]
    [4055, 2216]
    """
    name = INSPECTED if is_reviewed else UNREVIEWED
    return ExclusionStep(COLLECTION, 0, notes), ExclusionStep(name, deleted, notes - deleted)
