"""The adjudication queue: the disagreements of two or more annotators, with content-based ids.

An id is a digest of what each annotator said, so the same annotations give the same queue, and a
decision about annotations that have changed since fits no item any more.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase

from auscult.agreement.annotation_table import (
    AnnotationTable,
    SeenCharts,
    annotations_of,
    write_place,
)
from auscult.agreement.disagreements import (
    ChartStatements,
    Disagreement,
    DisagreementCause,
    Side,
    Statement,
    disagreements,
)
from auscult.core import OptionError
from auscult.corpus import Corpus

LETTERS = ascii_uppercase
"""The letters of the annotators in decisions: the first annotator is A."""
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One disagreement to decide."""

    item_id: str
    annotators: tuple[str, ...]
    disagreement: Disagreement

    @property
    def chart_id(self) -> str:
        """The chart it is about."""
        return self.disagreement.chart_id

    @property
    def cause(self) -> DisagreementCause:
        """Why the annotators differ."""
        return self.disagreement.cause

    def side(self, annotator: int) -> Side:
        """What an annotator says, by place."""
        return self.disagreement.sides[annotator]


@dataclass(frozen=True, slots=True)
class Queue:
    """The statements that annotators agree on, chart by chart, and the items they disagree on."""

    annotators: tuple[str, ...]
    items: tuple[QueueItem, ...]
    charts: tuple[ChartStatements, ...] = field(repr=False)
    annotations: AnnotationTable = field(repr=False)

    def by_id(self) -> dict[str, QueueItem]:
        """The items by their ids."""
        return {item.item_id: item for item in self.items}

    @property
    def why_unknown(self) -> str:
        """What may be the matter with a decision about an item that the queue has not."""
        return (
            "The queue was created with different --charts, --split, --category or --system "
            f"options, with other annotators or in another order than "
            f"{', '.join(self.annotators)}, or "
            "the annotations have changed. Use the same options, or create the queue again"
        )


def make_queue(
    corpus: Corpus, annotators: Sequence[str], *, seen: SeenCharts = SeenCharts.ANNOTATED
) -> Queue:
    """The disagreements of the annotators, in order of charts."""
    if len(annotators) > len(LETTERS):
        raise OptionError(
            f"A queue can have at most {len(LETTERS)} annotators; got {len(annotators)}."
        )
    return queue_of(annotations_of(corpus, annotators, seen=seen))


def queue_of(found: AnnotationTable) -> Queue:
    """The disagreements in a table of annotations."""
    charts = tuple(disagreements(found))
    items = tuple(
        QueueItem(item_id(found.annotators, one), found.annotators, one)
        for chart in charts
        for one in chart.disagreements
    )
    return Queue(found.annotators, items, charts, found)


def item_id(annotators: Sequence[str], one: Disagreement) -> str:
    """The id of a disagreement: a letter first, so that no spreadsheet takes it for a number."""
    content = [
        one.chart_id,
        [
            [name, None if side is None else [_written(statement) for statement in side]]
            for name, side in zip(annotators, one.sides, strict=True)
        ],
    ]
    digest = hashlib.sha256(json.dumps(content, ensure_ascii=True).encode()).hexdigest()
    return f"q{digest[:_DIGITS]}"


def _written(statement: Statement) -> list[str | None]:
    code = statement.code
    return [code.system, code.value, statement.note_id, write_place(statement.spans)]
