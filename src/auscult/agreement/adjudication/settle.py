"""What the decisions about an item come to.

A supervisor's latest decision holds. Without one, people who are none of the coders decide, when
their latest decisions come to the same. Without them it is for the coders: each stands by what
they said until they decide otherwise, and the item is settled once all stand for the same. Names
are the same whatever their case and blanks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from auscult.agreement.adjudication.decision import Decision, outcome
from auscult.agreement.adjudication.people import one_spelling
from auscult.agreement.adjudication.queue import Item, Queue
from auscult.agreement.disagreements import Statement
from auscult.core import OptionError


class State(StrEnum):
    """How far an item is."""

    SETTLED = "settled"
    OPEN = "open"
    """Nobody has decided, or not all coders who have to."""
    CONTESTED = "contested"
    """Decided differently by those whose word counts the same."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """An item, what it came to, and the decision that brought it about."""

    item: Item
    state: State
    outcome: frozenset[Statement] = frozenset()
    decision: Decision | None = None


def settle(queue: Queue, decisions: Iterable[Decision]) -> list[Settlement]:
    """What every item of the queue came to, in its order."""
    grouped = by_item(queue, decisions)
    return [_settled(item, grouped.get(item.item_id, [])) for item in queue.items]


def by_item(queue: Queue, decisions: Iterable[Decision]) -> dict[str, list[Decision]]:
    """The decisions of each item, earliest first; one about no item of the queue is an error."""
    known = queue.by_id()
    grouped: dict[str, list[Decision]] = {}
    for decision in one_spelling(decisions, queue.coders):
        if decision.item_id not in known:
            raise OptionError(f"{decision.item_id} is no item of this queue. {queue.why_unknown}.")
        outcome(known[decision.item_id], decision)
        grouped.setdefault(decision.item_id, []).append(decision)
    for made in grouped.values():
        made.sort(key=lambda decision: decision.order)
        _check_once(made)
    return grouped


def position(item: Item, coder: int, decisions: Sequence[Decision]) -> frozenset[Statement] | None:
    """What a coder stands for: their latest decision, or else what they said; None unseen."""
    said = item.side(coder)
    own = _latest(decisions).get(item.coders[coder])
    if own is not None and said is not None:
        return outcome(item, own)
    return None if said is None else frozenset(said)


def _settled(item: Item, decisions: Sequence[Decision]) -> Settlement:
    if not decisions:
        return Settlement(item, State.OPEN)
    supervisors = [decision for decision in decisions if decision.supervisor]
    if supervisors:
        last = supervisors[-1]
        return Settlement(item, State.SETTLED, outcome(item, last), last)
    outside = [d for d in decisions if d.who not in item.coders]
    if outside:
        latest = list(_latest(outside).values())
        results = {outcome(item, decision) for decision in latest}
        last = latest[-1]
    else:
        stands = (position(item, at, decisions) for at in range(len(item.coders)))
        results = {stand for stand in stands if stand is not None}
        last = decisions[-1]
    if len(results) == 1:
        return Settlement(item, State.SETTLED, results.pop(), last)
    waiting = not outside and len(_latest(decisions)) < sum(
        side is not None for side in item.disagreement.sides
    )
    return Settlement(item, State.OPEN if waiting else State.CONTESTED)


def _latest(decisions: Sequence[Decision]) -> Mapping[str, Decision]:
    """The latest decision of each person, the person who decided last at the end."""
    latest: dict[str, Decision] = {}
    for decision in decisions:
        latest.pop(decision.who, None)
        latest[decision.who] = decision
    return latest


def _check_once(made: Sequence[Decision]) -> None:
    seen: dict[tuple[object, ...], Decision] = {}
    for decision in made:
        key = (decision.who, decision.supervisor, *decision.order)
        other = seen.setdefault(key, decision)
        if (other.choice, other.edit) != (decision.choice, decision.edit):
            raise OptionError(
                f"{decision.who} decided twice and differently on {decision.item_id} at "
                f"{decision.when}. Take one away, or give the later one a later time."
            )
