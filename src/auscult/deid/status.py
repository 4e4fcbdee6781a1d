"""The progress of a review: decided, undecided and conflicting items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from auscult.core import AuscultError
from auscult.corpus.corpus import Corpus
from auscult.corpus.sampling import ExclusionStep
from auscult.deid.decisions import apply_decisions
from auscult.deid.recognizers import Recognizer
from auscult.deid.review import ReviewChoice, ReviewDecision, by_note, raise_all
from auscult.deid.review_counts import review_steps
from auscult.deid.run import findings


@dataclass(frozen=True, slots=True)
class ReviewStatus:
    """What a review has decided; the numbers are those that applying it gives."""

    choices: dict[str, int]
    added: int
    doubtful: int
    undecided: int
    steps: tuple[ExclusionStep, ...]

    @property
    def decided(self) -> int:
        """How many decisions there are."""
        return sum(self.choices.values())


def status_of(
    corpus: Corpus,
    decisions: Sequence[ReviewDecision],
    *,
    recognizers: Sequence[Recognizer] | None = None,
    day_first: bool = False,
) -> ReviewStatus:
    """How far the review has come; decisions that could not be applied are an error here too."""
    listed = by_note(decisions)
    notes = deleted = doubtful = undecided = 0
    problems: list[AuscultError] = []
    for note, found in findings(corpus, recognizers=recognizers, day_first=day_first):
        settled = apply_decisions(
            note.note_id, note.text or "", found, listed.get(note.note_id, ())
        )
        problems += settled.problems
        notes += 1
        deleted += settled.is_deleted
        doubtful += settled.doubtful
        undecided += settled.undecided
    raise_all(problems)
    distinct = [one for of_note in listed.values() for one in of_note]
    counts = Counter(one.choice.value for one in distinct)
    return ReviewStatus(
        {choice.value: counts[choice.value] for choice in ReviewChoice},
        sum(one.added is not None for one in distinct),
        doubtful,
        undecided,
        review_steps(notes, deleted, is_reviewed=bool(distinct)),
    )
