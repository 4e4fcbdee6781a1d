"""A decision about one item of the queue: what, who, when and why."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from auscult.agreement.adjudication.queue import LETTERS, QueueItem
from auscult.agreement.disagreements import Statement
from auscult.core import OptionError

BOTH, NEITHER, EDIT = "both", "neither", "edit"
_ACCEPT = re.compile(r"accept[- ]?([a-z](?:\+[a-z])*)")


@dataclass(frozen=True, slots=True)
class Decision:
    """One person's decision about an item.

    `choice` is `accept-A` (or of several annotators, `accept-A+C`), `both` for what all of them
    say, `neither`, or `edit`, with the statements to take instead in `edit`. `when` is ISO 8601. A
    supervisor's decision overrides all others. The reason may quote the note, so it is not shown.
    """

    item_id: str
    choice: str
    who: str
    when: str
    why: str = field(default="", repr=False)
    round: int = 1
    supervisor: bool = False
    edit: tuple[Statement, ...] = ()

    def __post_init__(self) -> None:
        if not self.who.strip():
            raise OptionError(f"The decision on {self.item_id} has no author (who).")
        if self.round < 1:
            raise OptionError(
                f"The decision on {self.item_id} has round {self.round}; rounds start at 1."
            )
        moment(self.when)
        if self.choice == EDIT and not self.edit:
            raise OptionError(
                f"The decision on {self.item_id} is edit, but the edit is empty. If no "
                "annotation is correct, decide neither."
            )
        if self.edit and self.choice != EDIT:
            raise OptionError(
                f"The decision on {self.item_id} is {self.choice} but has edited annotations. "
                "These require the decision edit."
            )

    @property
    def order(self) -> tuple[int, datetime]:
        """What makes a later decision later."""
        return self.round, moment(self.when)


def read_choice(written: str, annotators: Sequence[str]) -> str:
    """A choice in its one spelling; an error lists what can be chosen.

    >>> read_choice("Accept b", ["ann", "bob"]), read_choice("all", ["ann", "bob"])
    ('accept-B', 'both')
    """
    plain = written.strip().lower()
    if plain in (BOTH, "all"):
        return BOTH
    if plain in (NEITHER, EDIT):
        return plain
    found = _ACCEPT.fullmatch(plain)
    letters = sorted(set(found[1].upper().split("+"))) if found else []
    if not letters or letters[-1] not in LETTERS[: len(annotators)]:
        named = ", ".join(f"accept-{LETTERS[at]} ({name})" for at, name in enumerate(annotators))
        raise OptionError(f"A decision must be one of {named}, both, neither, edit.")
    return f"accept-{'+'.join(letters)}"


def outcome(item: QueueItem, decision: Decision) -> frozenset[Statement]:
    """The statements that result if the item is decided this way."""
    if decision.choice == EDIT:
        return frozenset(decision.edit)
    if decision.choice == NEITHER:
        return frozenset()
    if decision.choice == BOTH:
        chosen = list(range(len(item.annotators)))
    else:
        letters = decision.choice.removeprefix("accept-").split("+")
        chosen = [LETTERS.index(letter) for letter in letters]
        unseen = [item.annotators[at] for at in chosen if item.side(at) is None]
        if unseen:
            raise OptionError(
                f"The decision on {item.item_id} accepts {', '.join(unseen)}, who did not "
                f"annotate chart {item.chart_id}."
            )
    return frozenset(statement for at in chosen for statement in item.side(at) or ())


def moment(when: str) -> datetime:
    """The time of a decision; one that names no zone is taken as UTC, only to compare.

    >>> moment("2024-03-01").isoformat()
    '2024-03-01T00:00:00+00:00'
    """
    try:
        found = datetime.fromisoformat(when.strip())
    except ValueError as error:
        raise OptionError(
            "The time of a decision must be a date such as 2024-03-01 or a date and time such "
            "as 2024-03-01T14:30. If the spreadsheet reformats it, format the column as text."
        ) from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)
