"""The progress of an adjudication, and inter-annotator agreement before and after each round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from auscult.agreement.adjudication.decision import Decision
from auscult.agreement.adjudication.gold import reviewed
from auscult.agreement.adjudication.people import annotator_of
from auscult.agreement.adjudication.queue import Queue
from auscult.agreement.adjudication.resolution import Resolution, State, resolve
from auscult.agreement.agree import warn_of_single_disagreement
from auscult.agreement.alpha import krippendorff_alpha
from auscult.agreement.annotation_table import AnnotationTable
from auscult.agreement.code_f1 import code_f1
from auscult.agreement.disagreements import DisagreementCause
from auscult.agreement.fleiss import fleiss_kappa
from auscult.agreement.hooper import hooper_mean, hooper_pooled
from auscult.agreement.punctuation import without_punctuation
from auscult.agreement.resampling import forget
from auscult.agreement.similarity import Distance
from auscult.agreement.units import AgreementUnit, ratings_by
from auscult.core import Metric


@dataclass(frozen=True, slots=True)
class AdjudicationStatus:
    """How many items are in which state, and agreement before review and after each round."""

    settlements: tuple[Resolution, ...]
    decisions: int
    agreement: Mapping[str, Mapping[str, Metric]]
    """Metrics by name, for `before` review, `after round 1` and so on."""

    @property
    def states(self) -> dict[State, int]:
        """How many items are in each state."""
        counts = Counter(one.state for one in self.settlements)
        return {state: counts[state] for state in State}

    @property
    def causes(self) -> dict[DisagreementCause, dict[State, int]]:
        """The same by cause."""
        counts = Counter((one.item.cause, one.state) for one in self.settlements)
        return {
            cause: {state: counts[cause, state] for state in State} for cause in DisagreementCause
        }

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
                    for name, m in found.items()
                }
                for when, found in self.agreement.items()
            },
        }


def status(
    queue: Queue,
    decisions: Iterable[Decision],
    *,
    unit: AgreementUnit = AgreementUnit.NOTE,
    exact_spans: bool = False,
    times: int = 1000,
    seed: int = 0,
) -> AdjudicationStatus:
    """Where the items of a queue stand.

    Agreement after a round is between what the annotators then stand for: their own decisions
    count, those of supervisors and others do not. Its spans are compared without the punctuation at
    their ends, unless `exact_spans` is true; the queue's are always exact, as gold's will be.
    """
    made = list(decisions)
    own = [
        d for d in made if not d.supervisor and annotator_of(d.who, queue.annotators) is not None
    ]
    stages = {"before": queue.annotations}
    for number in sorted({d.round for d in own}):
        stages[f"after round {number}"] = reviewed(queue, own, until=number)
    if not exact_spans:
        stages = {when: without_punctuation(table) for when, table in stages.items()}
    agreement = {when: _metrics(table, unit, times, seed) for when, table in stages.items()}
    forget()
    return AdjudicationStatus(tuple(resolve(queue, made)), len(made), agreement)


def _metrics(
    table: AnnotationTable, unit: AgreementUnit, times: int, seed: int
) -> dict[str, Metric]:
    ratings = ratings_by(table, unit)
    warn_of_single_disagreement(ratings)
    options = {"times": times, "seed": seed}
    alphas = [krippendorff_alpha(ratings, d, **options) for d in (Distance.NOMINAL, Distance.MASI)]
    others = (fleiss_kappa, hooper_mean, hooper_pooled, code_f1)
    return {m.name: m for m in (*alphas, *(one(ratings, **options) for one in others))}
