"""How many notes were there before and after the review, as the challenge's Table 2 has it."""

from __future__ import annotations

from auscult.corpus.sampling import Step


def funnel(notes: int, deleted: int) -> tuple[Step, ...]:
    """The steps of a de-identification.

    >>> [step.left for step in funnel(4055, 1839)]
    [4055, 2216]
    """
    return (
        Step("Collection of notes", 0, notes),
        Step("Manual inspection for anonymisation problems", deleted, notes - deleted),
    )
