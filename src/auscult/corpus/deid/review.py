"""The review of what was found: items, what people decide about them, and what follows.

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
from auscult.corpus.deid.found import Found, Kind


class Choice(StrEnum):
    """What can be decided about an item."""

    KEEP = "keep"
    """It identifies nobody; the words stay."""
    REPLACE = "replace"
    """A like value stands in its place, or the words under `with`."""
    GENERALISE = "generalise"
    """Only its kind shows: a town, a hospital, the year of a date."""
    DELETE = "delete"
    """The whole note goes, and all annotations on it."""


@dataclass(frozen=True, slots=True)
class Item:
    """A finding in a note, to be decided on. Its words and what is around them are not shown."""

    item_id: str
    note_id: str
    found: Found
    words: str = field(repr=False)
    context: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about an item.

    `replacement` is what to write instead, None for a like value. `added` is the finding itself
    where a person found what no recogniser had. `place` and `words` are where the item stands and
    what stands there, if that is known; `where` is the file and row that say so.
    """

    item_id: str
    note_id: str
    choice: Choice
    replacement: str | None = field(default=None, repr=False)
    who: str = ""
    when: str = ""
    why: str = field(default="", repr=False)
    added: Found | None = None
    place: Found | None = None
    words: str | None = field(default=None, repr=False)
    where: str = ""

    @property
    def named(self) -> str:
        """What a message calls it."""
        return self.where or f"item {self.item_id}"


_AROUND = 60
_SHOWN = 20


def items_of(
    note_id: str, text: str, found: Iterable[Found], *, everything: bool = False
) -> list[Item]:
    """The doubtful findings of a note as items, or with `everything` all of them."""
    return [
        Item(item_id(note_id, one), note_id, one, text[one.begin : one.end], _context(text, one))
        for one in found
        if one.doubt or everything
    ]


def item_id(note_id: str, found: Found) -> str:
    """The id of a finding's item."""
    written = "\0".join((note_id, str(found.begin), str(found.end), found.kind.value))
    return "d" + hashlib.sha256(written.encode()).hexdigest()[:12]


def read_choice(written: str) -> Choice:
    """A choice as people write it.

    >>> read_choice("Generalize")
    <Choice.GENERALISE: 'generalise'>
    """
    plain = written.strip().lower().replace("generalize", "generalise")
    if plain not in set(Choice):
        raise OptionError(
            "A decision is keep, replace, generalise or delete, and this is none of them. It is "
            "not shown, as it may be words of the note; see whether columns have slipped"
        )
    return Choice(plain)


def by_note(decisions: Iterable[Decision]) -> Mapping[str, Sequence[Decision]]:
    """The decisions by note; two that contradict each other are an error."""
    chosen: dict[str, Decision] = {}
    problems: list[AuscultError] = []
    for decision in decisions:
        other = chosen.setdefault(decision.item_id, decision)
        if (other.choice, other.replacement) != (decision.choice, decision.replacement):
            rows = f" ({other.where} and {decision.where})" if other.where else ""
            told = (
                f"as {other.choice} and as {decision.choice}"
                if other.choice is not decision.choice
                else f"twice as {other.choice}, with different words instead"
            )
            problems.append(
                OptionError(
                    f"Item {decision.item_id} is decided {told}{rows}. Keep one of the two rows."
                )
            )
    raise_all(problems)
    listed: dict[str, list[Decision]] = {}
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
        raise OptionError(f"{len(problems):,} decisions cannot be used:\n  " + "\n  ".join(lines))


def added(note_id: str, begin: int, end: int, kind: Kind) -> Found:
    """A finding that a person made."""
    if not 0 <= begin < end:
        raise OptionError(
            f"An addition to note {shown(note_id)} goes from begin to end, and its end is not "
            "after its begin, or before the note"
        )
    return Found(begin, end, kind)


def _context(text: str, found: Found) -> str:
    before = text[max(0, found.begin - _AROUND) : found.begin]
    after = text[found.end : found.end + _AROUND]
    return " ".join(f"{before}«{text[found.begin : found.end]}»{after}".split())
