"""How far a review has come: what is decided, what is not, and what does not fit together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from auscult.core import AuscultError
from auscult.corpus.corpus import Corpus
from auscult.corpus.deid.decided import settle
from auscult.corpus.deid.funnel import funnel
from auscult.corpus.deid.recognisers import Recogniser
from auscult.corpus.deid.review import Choice, Decision, by_note, raise_all
from auscult.corpus.deid.run import findings
from auscult.corpus.sampling import Step


@dataclass(frozen=True, slots=True)
class Status:
    """What a review has decided; the numbers are those that applying it gives."""

    choices: dict[str, int]
    added: int
    doubtful: int
    undecided: int
    funnel: tuple[Step, ...]

    @property
    def decided(self) -> int:
        """How many decisions there are."""
        return sum(self.choices.values())


def status_of(
    corpus: Corpus,
    decisions: Sequence[Decision],
    *,
    recognisers: Sequence[Recogniser] | None = None,
    day_first: bool = False,
) -> Status:
    """How far the review has come; decisions that could not be applied are an error here too."""
    listed = by_note(decisions)
    notes = deleted = doubtful = undecided = 0
    problems: list[AuscultError] = []
    for note, found in findings(corpus, recognisers=recognisers, day_first=day_first):
        settled = settle(note.note_id, note.text or "", found, listed.get(note.note_id, ()))
        problems += settled.problems
        notes += 1
        deleted += settled.is_deleted
        doubtful += settled.doubtful
        undecided += settled.undecided
    raise_all(problems)
    distinct = [one for of_note in listed.values() for one in of_note]
    counts = Counter(one.choice.value for one in distinct)
    return Status(
        {choice.value: counts[choice.value] for choice in Choice},
        sum(one.added is not None for one in distinct),
        doubtful,
        undecided,
        funnel(notes, deleted),
    )
