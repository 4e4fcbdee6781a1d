"""Review of findings: items, and the decisions that people make about them.

An item is a finding in a note. Its id follows from the note's id and the place, so that the same
corpus gives the same items again; a corpus whose text has changed gives others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from auscult.core import AuscultError, OptionError
from auscult.core.names import shown
from auscult.deid.phi_span import PhiKind, PhiSpan


class ReviewChoice(StrEnum):
    """What can be decided about an item."""

    KEEP = "keep"
    """Not PHI; the text is kept."""
    REPLACE = "replace"
    """Replaced by a surrogate, or by the text in the column `replacement`."""
    GENERALIZE = "generalize"
    """Replaced by its kind: a town, a hospital, the year of a date."""
    DELETE = "delete"
    """The whole note and its annotations are deleted."""


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A finding to be reviewed. Its text and context are not shown in `repr`."""

    item_id: str
    note_id: str
    found: PhiSpan
    words: str = field(repr=False)
    context: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ReviewDecision:
    """The decision about one item.

    `replacement` is what to write instead, None for a like value. `added` is the finding itself
    where a person found what no recognizer had. `place` and `words` are where the item stands and
    what stands there, if that is known; `where` is the file and row that say so.
    """

    item_id: str
    note_id: str
    choice: ReviewChoice
    replacement: str | None = field(default=None, repr=False)
    who: str = ""
    when: str = ""
    why: str = field(default="", repr=False)
    added: PhiSpan | None = None
    place: PhiSpan | None = None
    words: str | None = field(default=None, repr=False)
    where: str = ""

    @property
    def named(self) -> str:
        """What a message calls it."""
        return self.where or f"item {self.item_id}"


_AROUND = 60
_SHOWN = 20


def items_of(
    note_id: str, text: str, found: Iterable[PhiSpan], *, everything: bool = False
) -> list[ReviewItem]:
    """The doubtful findings of a note as items, or with `everything` all of them."""
    return [
        ReviewItem(
            item_id(note_id, one), note_id, one, text[one.begin : one.end], _context(text, one)
        )
        for one in found
        if one.doubt or everything
    ]


def item_id(note_id: str, found: PhiSpan) -> str:
    """The id of a finding's item."""
    written = "\0".join((note_id, str(found.begin), str(found.end), found.kind.value))
    return "d" + hashlib.sha256(written.encode()).hexdigest()[:12]


def read_choice(written: str) -> ReviewChoice:
    """A choice as people write it.

    >>> read_choice("Generalize")
    <ReviewChoice.GENERALIZE: 'generalize'>
    """
    plain = written.strip().lower().replace("generalise", "generalize")
    if plain not in set(ReviewChoice):
        raise OptionError(
            "A decision must be keep, replace, generalize or delete; this cell has something "
            "else. It is not shown, as it may be note text; check that the columns have not "
            "shifted"
        )
    return ReviewChoice(plain)


def by_note(decisions: Iterable[ReviewDecision]) -> Mapping[str, Sequence[ReviewDecision]]:
    """The decisions by note; two that contradict each other are an error."""
    chosen: dict[str, ReviewDecision] = {}
    problems: list[AuscultError] = []
    for decision in decisions:
        other = chosen.setdefault(decision.item_id, decision)
        if (other.choice, other.replacement) != (decision.choice, decision.replacement):
            rows = f" ({other.where} and {decision.where})" if other.where else ""
            told = (
                f"as {other.choice} and as {decision.choice}"
                if other.choice is not decision.choice
                else f"twice as {other.choice}, with different replacements"
            )
            problems.append(
                OptionError(
                    f"Item {decision.item_id} is decided {told}{rows}. Keep one of the two rows."
                )
            )
    raise_all(problems)
    listed: dict[str, list[ReviewDecision]] = {}
    for decision in chosen.values():
        listed.setdefault(decision.note_id, []).append(decision)
    return listed


def raise_all(problems: Sequence[AuscultError]) -> None:
    """Raise what is wrong with decisions, all at once; nothing when nothing is."""
    if len(problems) == 1:
        raise problems[0]
    if problems:
        rest = len(problems) - _SHOWN
        lines = [str(one) for one in problems[:_SHOWN]] + [f"and {rest:,} more"] * (rest > 0)
        raise OptionError(f"{len(problems):,} decisions are invalid:\n  " + "\n  ".join(lines))


def added(note_id: str, begin: int, end: int, kind: PhiKind) -> PhiSpan:
    """A finding that a person made."""
    if not 0 <= begin < end:
        raise OptionError(f"An addition to note {shown(note_id)} needs 0 ≤ begin < end")
    return PhiSpan(begin, end, kind)


def _context(text: str, found: PhiSpan) -> str:
    before = text[max(0, found.begin - _AROUND) : found.begin]
    after = text[found.end : found.end + _AROUND]
    return " ".join(f"{before}«{text[found.begin : found.end]}»{after}".split())
