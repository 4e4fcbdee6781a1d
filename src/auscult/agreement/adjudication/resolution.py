"""How the decisions about an item are combined into a resolution.

A supervisor's latest decision wins. Without one, the latest decisions of people other than the
annotators count, provided they agree. Without those, the annotators decide: each keeps their own
annotations until they decide otherwise, and the item is settled once all of them agree. Names are
compared without regard to case and spaces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from auscult.agreement.adjudication.decision import Decision, outcome
from auscult.agreement.adjudication.people import one_spelling
from auscult.agreement.adjudication.queue import Queue, QueueItem
from auscult.agreement.disagreements import Statement
from auscult.core import OptionError


class State(StrEnum):
    """The state of an item."""

    SETTLED = "settled"
    OPEN = "open"
    """Undecided, or not yet decided by all annotators who have to."""
    CONTESTED = "contested"
    """Decided differently by people of equal authority."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """An item, its state, the resulting statements, and the decision that led to them."""

    item: QueueItem
    state: State
    outcome: frozenset[Statement] = frozenset()
    decision: Decision | None = None


def resolve(queue: Queue, decisions: Iterable[Decision]) -> list[Resolution]:
    """The resolution of every item of the queue, in order."""
    grouped = by_item(queue, decisions)
    return [_settled(item, grouped.get(item.item_id, [])) for item in queue.items]


def by_item(queue: Queue, decisions: Iterable[Decision]) -> dict[str, list[Decision]]:
    """The decisions of each item, earliest first; one about no item of the queue is an error."""
    known = queue.by_id()
    grouped: dict[str, list[Decision]] = {}
    for decision in one_spelling(decisions, queue.annotators):
        if decision.item_id not in known:
            raise OptionError(
                f"{decision.item_id} is not an item of this queue. {queue.why_unknown}."
            )
        outcome(known[decision.item_id], decision)
        grouped.setdefault(decision.item_id, []).append(decision)
    for made in grouped.values():
        made.sort(key=lambda decision: decision.order)
        _check_once(made)
    return grouped


def current_statements(
    item: QueueItem, annotator: int, decisions: Sequence[Decision]
) -> frozenset[Statement] | None:
    """An annotator's current statements: their latest decision, else their annotations; None if
    they did not annotate the chart.
    """
    said = item.side(annotator)
    own = _latest(decisions).get(item.annotators[annotator])
    if own is not None and said is not None:
        return outcome(item, own)
    return None if said is None else frozenset(said)


def _settled(item: QueueItem, decisions: Sequence[Decision]) -> Resolution:
    if not decisions:
        return Resolution(item, State.OPEN)
    supervisors = [decision for decision in decisions if decision.supervisor]
    if supervisors:
        last = supervisors[-1]
        return Resolution(item, State.SETTLED, outcome(item, last), last)
    outside = [d for d in decisions if d.who not in item.annotators]
    if outside:
        latest = list(_latest(outside).values())
        results = {outcome(item, decision) for decision in latest}
        last = latest[-1]
    else:
        stands = (current_statements(item, at, decisions) for at in range(len(item.annotators)))
        results = {stand for stand in stands if stand is not None}
        last = decisions[-1]
    if len(results) == 1:
        return Resolution(item, State.SETTLED, results.pop(), last)
    waiting = not outside and len(_latest(decisions)) < sum(
        side is not None for side in item.disagreement.sides
    )
    return Resolution(item, State.OPEN if waiting else State.CONTESTED)


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
                f"{decision.who} made two different decisions on {decision.item_id} at "
                f"{decision.when}. Delete one, or give the later one a later time."
            )
