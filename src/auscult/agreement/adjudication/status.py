"""How far an adjudication is, and how far the coders agreed before and after each round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from auscult.agreement.adjudication.decision import Decision
from auscult.agreement.adjudication.gold import reviewed
from auscult.agreement.adjudication.queue import Queue
from auscult.agreement.adjudication.settle import Settlement, State, settle
from auscult.agreement.agree import Agreement, agreement_of
from auscult.agreement.disagreements import Cause
from auscult.agreement.units import Unit


@dataclass(frozen=True, slots=True)
class Status:
    """How many items are in which state, and agreement before review and after each round."""

    settlements: tuple[Settlement, ...]
    decisions: int
    agreement: Mapping[str, Agreement]

    @property
    def states(self) -> dict[State, int]:
        """How many items are in each state."""
        counts = Counter(one.state for one in self.settlements)
        return {state: counts[state] for state in State}

    @property
    def causes(self) -> dict[Cause, dict[State, int]]:
        """The same by cause."""
        counts = Counter((one.item.cause, one.state) for one in self.settlements)
        return {cause: {state: counts[cause, state] for state in State} for cause in Cause}

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "items": len(self.settlements),
            "decisions": self.decisions,
            **{state.value: count for state, count in self.states.items()},
            "causes": {
                cause.value: {state.value: count for state, count in states.items()}
                for cause, states in self.causes.items()
            },
            "agreement": {
                when: {
                    name: {"value": m.value, "interval": m.interval, "undefined": m.undefined}
                    for name, m in found.measures.items()
                }
                for when, found in self.agreement.items()
            },
        }


def status(
    queue: Queue,
    decisions: Iterable[Decision],
    *,
    unit: Unit = Unit.NOTE,
    times: int = 1000,
    seed: int = 0,
) -> Status:
    """Where the items of a queue stand.

    Agreement after a round is between what the coders then stand for: their own decisions count,
    those of supervisors and others do not.
    """
    made = list(decisions)
    agreement = {"before": agreement_of(queue.said, unit=unit, times=times, seed=seed)}
    for number in sorted({d.round for d in made if d.who in queue.coders and not d.supervisor}):
        after = reviewed(queue, made, until=number)
        found = agreement_of(after, unit=unit, times=times, seed=seed)
        agreement[f"after round {number}"] = found
    return Status(tuple(settle(queue, made)), len(made), agreement)
