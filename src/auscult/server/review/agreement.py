"""Inter-annotator agreement before and after review, and the gold standard that review produces."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import sqlalchemy as sa

from auscult.agreement.adjudication import Queue, Resolution, State, gold, resolve
from auscult.agreement.adjudication.gold import resolved_charts
from auscult.agreement.agree import Agreement, agreement_of
from auscult.agreement.annotation_table import AnnotationTable, with_statements
from auscult.core import Annotation, AuscultError, Code, Metric, Note, Span
from auscult.corpus import Corpus
from auscult.server.database.tables import chart, note
from auscult.server.review.decide import states_of
from auscult.server.review.queue import Review, open_review
from auscult.server.shapes.metrics import metric_out
from auscult.server.shapes.review import AgreementGroup, AgreementOut

GOLD = "gold"
_RESAMPLES = 200


def agreement(connection: sa.Connection, project: int) -> AgreementOut:
    """Agreement of each group of annotators."""
    review = open_review(connection, project)
    notes = _notes(
        connection, project, {of for one in review.queues for of in one.annotations.chart_ids}
    )
    groups = []
    definitions: dict[str, str] = {}
    for queue in review.queues:
        settled = resolve(queue, review.decisions_of(queue))
        mine = [one for chart_id in queue.annotations.chart_ids for one in notes[chart_id]]
        # How far spans overlap by chance depends on the texts.
        said = replace(queue.annotations, corpus=Corpus.of(mine))
        before = _measured(said)
        after = _measured(with_statements(said, _after(queue, settled)))
        definitions |= {name: metric.definition for name, metric in before.items()}
        groups.append(
            AgreementGroup(
                annotators=list(queue.annotators),
                charts=len(queue.charts),
                items=len(queue.items),
                states=states_of(settled),
                causes=dict(Counter(item.cause.value for item in queue.items)),
                before={name: metric_out(metric) for name, metric in before.items()},
                after={name: metric_out(metric) for name, metric in after.items()},
                upheld=_upheld(queue, settled),
            )
        )
    return AgreementOut(groups=groups, definitions=definitions)


def gold_of(review: Review) -> list[Annotation]:
    """What annotators agree on and what was settled, of charts that several have finished."""
    return [
        annotation
        for queue in review.queues
        for annotation in gold(queue, review.decisions_of(queue), name=GOLD)
    ]


def gold_read(review: Review) -> list[str]:
    """The charts of which everything is settled, with a code or without."""
    return [
        chart_id
        for queue in review.queues
        for chart_id in resolved_charts(queue, review.decisions_of(queue))
    ]


def _notes(
    connection: sa.Connection, project: int, charts: Collection[str]
) -> dict[str, list[Note]]:
    """The notes of some charts, by chart, in order."""
    rows = connection.execute(
        sa.select(note.c.note_id, chart.c.chart_id, note.c.text)
        .join(chart, chart.c.id == note.c.chart)
        .where(note.c.project == project)
        .order_by(note.c.position)
    )
    found: dict[str, list[Note]] = {chart_id: [] for chart_id in charts}
    for row in rows:
        if row.chart_id in found:
            found[row.chart_id].append(Note(row.note_id, row.chart_id, text=row.text))
    return found


def _measured(said: AnnotationTable) -> dict[str, Metric]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            found: Agreement = agreement_of(said, times=_RESAMPLES)
        except AuscultError as error:
            return {"agreement": Metric("agreement", "", undefined=str(error))}
    return dict(found.metrics)


def _after(
    queue: Queue, settled: Sequence[Resolution]
) -> Iterator[tuple[int, str, Code, str | None, Sequence[Span]]]:
    """The annotators' annotations, with settled disagreements as they were settled."""
    everyone = range(len(queue.annotators))
    for both in queue.charts:
        for annotator in both.annotators:
            for one in both.agreed:
                yield annotator, both.chart_id, one.code, one.note_id, one.spans
    for settlement in settled:
        item = settlement.item
        for annotator in everyone:
            said = item.side(annotator)
            if said is not None and settlement.state is State.SETTLED:
                said = tuple(settlement.outcome)
            for one in said or ():
                yield annotator, item.chart_id, one.code, one.note_id, one.spans


def _upheld(queue: Queue, settled: Sequence[Resolution]) -> dict[str, int]:
    counts = dict.fromkeys(queue.annotators, 0)
    for settlement in settled:
        if settlement.state is State.SETTLED:
            for at, name in enumerate(queue.annotators):
                side = settlement.item.side(at)
                counts[name] += side is not None and frozenset(side) == settlement.outcome
    return counts
