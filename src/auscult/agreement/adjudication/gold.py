"""The gold standard that follows from a queue and its decisions, and the annotators' reviewed
annotations.

Nothing here is kept: both are made again from annotations and decisions at any time, and are the
same each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from auscult.agreement.adjudication.decision import Decision
from auscult.agreement.adjudication.people import annotator_of
from auscult.agreement.adjudication.queue import LETTERS, Queue
from auscult.agreement.adjudication.resolution import (
    Resolution,
    State,
    by_item,
    current_statements,
    resolve,
)
from auscult.agreement.annotation_table import AnnotationTable, with_statements
from auscult.agreement.disagreements import ChartStatements, Statement
from auscult.core import Annotation, Code, Span

ADJUDICATION = "adjudication"
"""The key in `meta` with the origin of an annotation: `agreed`, `one annotator`, or a decision."""


def gold(queue: Queue, decisions: Iterable[Decision], *, name: str = "gold") -> list[Annotation]:
    """The agreed and resolved annotations, in order of charts; `meta` records the origin of each.

    Of items that are not settled nothing is taken.
    """
    settled: dict[str, list[Resolution]] = {}
    for settlement in resolve(queue, decisions):
        settled.setdefault(settlement.item.chart_id, []).append(settlement)
    return [
        annotation
        for chart in queue.charts
        for annotation in _chart(queue, chart, settled.get(chart.chart_id, []), name)
    ]


def resolved_charts(queue: Queue, decisions: Iterable[Decision]) -> list[str]:
    """The charts without unresolved items, whether or not gold has a code there."""
    left = {
        one.item.chart_id for one in resolve(queue, decisions) if one.state is not State.SETTLED
    }
    return [chart.chart_id for chart in queue.charts if chart.chart_id not in left]


def reviewed(
    queue: Queue, decisions: Iterable[Decision], *, until: int | None = None
) -> AnnotationTable:
    """The annotators' annotations after their own decisions, in rounds up to `until`.

    Decisions of others do not count here: they make gold, and change nobody's mind.
    """
    counted = [
        decision
        for decision in decisions
        if not decision.supervisor
        and annotator_of(decision.who, queue.annotators) is not None
        and (until is None or decision.round <= until)
    ]
    grouped = by_item(queue, counted)
    return with_statements(queue.annotations, _statements(queue, grouped))


def _statements(
    queue: Queue, grouped: dict[str, list[Decision]]
) -> Iterator[tuple[int, str, Code, str | None, Sequence[Span]]]:
    for chart in queue.charts:
        for annotator in chart.annotators:
            for one in chart.agreed:
                yield annotator, chart.chart_id, one.code, one.note_id, one.spans
    for item in queue.items:
        for annotator in range(len(queue.annotators)):
            for one in current_statements(item, annotator, grouped.get(item.item_id, [])) or ():
                yield annotator, item.chart_id, one.code, one.note_id, one.spans


def _chart(
    queue: Queue, chart: ChartStatements, settled: Sequence[Resolution], name: str
) -> list[Annotation]:
    made: dict[Statement, dict[str, str]] = {}
    names = ", ".join(queue.annotators[at] for at in chart.annotators)
    how = "agreed" if len(chart.annotators) > 1 else "one annotator"
    for statement in chart.agreed:
        made[statement] = {ADJUDICATION: how, "annotators": names}
    for settlement in settled:
        if settlement.state is State.SETTLED and settlement.decision is not None:
            for statement in settlement.outcome:
                made.setdefault(statement, _provenance(settlement, statement))
    return [
        Annotation(name, one.code, chart.chart_id, one.note_id, one.spans, meta=made[one])
        for one in sorted(made, key=lambda s: (s.note_id or "", s.spans, s.code))
    ]


def _provenance(settlement: Resolution, statement: Statement) -> dict[str, str]:
    item, decision = settlement.item, settlement.decision
    assert decision is not None  # only what was decided is asked about
    sayers = [name for at, name in enumerate(item.annotators) if statement in (item.side(at) or ())]
    letters = ", ".join(f"{LETTERS[at]} {name}" for at, name in enumerate(item.annotators))
    meta = {
        ADJUDICATION: decision.choice,
        "annotators": ", ".join(sayers),
        "letters": letters,
        "item": item.item_id,
        "cause": item.cause.value,
        "by": decision.who,
        "when": decision.when,
        "round": str(decision.round),
    }
    if decision.why:
        meta["why"] = decision.why
    if decision.supervisor:
        meta["role"] = "supervisor"
    return meta
