"""The queue: the disagreements of two or more coders, each under an id that its content gives it.

An id is a digest of what each coder said, so the same annotations give the same queue, and a
decision about annotations that have changed since fits no item any more.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase

from auscult.agreement.disagreements import (
    Cause,
    ChartStatements,
    Disagreement,
    Side,
    Statement,
    disagreements,
)
from auscult.agreement.said import Said, Seen, said, write_place
from auscult.core import OptionError
from auscult.corpus import Corpus

LETTERS = ascii_uppercase
"""How coders are called in decisions: the first is A."""
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Item:
    """One disagreement to decide."""

    item_id: str
    coders: tuple[str, ...]
    disagreement: Disagreement

    @property
    def chart_id(self) -> str:
        """The chart it is about."""
        return self.disagreement.chart_id

    @property
    def cause(self) -> Cause:
        """Why the coders differ."""
        return self.disagreement.cause

    def side(self, coder: int) -> Side:
        """What a coder says, by place."""
        return self.disagreement.sides[coder]


@dataclass(frozen=True, slots=True)
class Queue:
    """What coders agree on, chart by chart, and the items they do not agree on."""

    coders: tuple[str, ...]
    items: tuple[Item, ...]
    charts: tuple[ChartStatements, ...] = field(repr=False)
    said: Said = field(repr=False)

    def by_id(self) -> dict[str, Item]:
        """The items by their ids."""
        return {item.item_id: item for item in self.items}

    @property
    def why_unknown(self) -> str:
        """What may be the matter with a decision about an item that the queue has not."""
        return (
            "The queue was made with another --seen, --split, --note-category or --system; or the "
            f"annotators are others or named in another order than {', '.join(self.coders)}; or "
            "the annotations have changed since. Give the same options, or make the queue again"
        )


def make_queue(corpus: Corpus, annotators: Sequence[str], *, seen: Seen = Seen.ANNOTATED) -> Queue:
    """The disagreements of the annotators, and nothing they agree on, in order of charts."""
    if len(annotators) > len(LETTERS):
        raise OptionError(f"A queue is of at most {len(LETTERS)} coders; got {len(annotators)}.")
    return queue_of(said(corpus, annotators, seen=seen))


def queue_of(found: Said) -> Queue:
    """The disagreements in what coders said."""
    charts = tuple(disagreements(found))
    items = tuple(
        Item(item_id(found.coders, one), found.coders, one)
        for chart in charts
        for one in chart.disagreements
    )
    return Queue(found.coders, items, charts, found)


def item_id(coders: Sequence[str], one: Disagreement) -> str:
    """The id of a disagreement: a letter first, so that no spreadsheet takes it for a number."""
    content = [
        one.chart_id,
        [
            [name, None if side is None else [_written(statement) for statement in side]]
            for name, side in zip(coders, one.sides, strict=True)
        ],
    ]
    digest = hashlib.sha256(json.dumps(content, ensure_ascii=True).encode()).hexdigest()
    return f"q{digest[:_DIGITS]}"


def _written(statement: Statement) -> list[str | None]:
    code = statement.code
    return [code.system, code.value, statement.note_id, write_place(statement.spans)]
