"""Review: disagreements, decisions about them, and agreement before and after."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from auscult.server.shapes.coding import Spans
from auscult.server.shapes.common import SPANS, Edges, In, Key, Out, Token, Words
from auscult.server.shapes.metrics import MetricOut

State = Literal["open", "contested", "settled"]


class States(Out):
    """How many disagreements are in which state."""

    open: int
    contested: int
    settled: int


class StatementIn(In):
    """A correction: a code and its evidence."""

    note: Key | None = None
    spans: Spans = Field(default_factory=list)
    system: Words = Field(min_length=1, max_length=100)
    code: Words = Field(min_length=1, max_length=200)


class StatementOut(Out):
    """An annotator's annotation: a code and its evidence."""

    note: int | None
    spans: list[Edges] = Field(description=SPANS)
    system: str
    code: str
    name: str | None
    known: bool | None


class DecisionOut(Out):
    """A decision."""

    person: str
    choice: str
    why: str
    round: int
    is_supervisor: bool
    time: str
    edit: list[StatementOut]


class ItemOut(Out):
    """A disagreement. Annotators are A, B, … in the order of `annotators`."""

    item_id: str
    chart: int
    chart_id: str
    cause: str = Field(description="boundary, elsewhere, code, symptom, external cause or missing.")
    annotators: list[str]
    sides: list[list[StatementOut] | None] = Field(
        description="Each annotator's annotations, possibly none; null: did not code the chart."
    )
    state: State
    outcome: list[StatementOut] | None = Field(description="The outcome, once it is settled.")
    decisions: list[DecisionOut]


class ItemsOut(Out):
    """The queue."""

    total: int = Field(description="Number of items that match the filter.")
    states: States
    causes: dict[str, int]
    waiting: int = Field(description="Charts of several annotators that not all have finished.")
    items: list[ItemOut]


class DecisionIn(In):
    """A decision about an item."""

    client_id: Token
    item_id: Words = Field(pattern=r"^q[0-9a-f]{12}$")
    chart: Key | None = Field(
        None, description="The item's chart: with it the server need not look through all of them."
    )
    choice: Words = Field(
        min_length=1,
        max_length=100,
        examples=["accept-A"],
        description="accept-A, accept-B, accept-A+B, both, neither or edit.",
    )
    why: Words = Field("", max_length=2000)
    edit: list[StatementIn] = Field(default_factory=list, max_length=200)


class AgreementGroup(Out):
    """Agreement of annotators who share charts, before review and after it."""

    annotators: list[str]
    charts: int
    items: int
    states: States
    causes: dict[str, int]
    before: dict[str, MetricOut]
    after: dict[str, MetricOut] = Field(
        description="With settled disagreements as settled; the others unchanged."
    )
    upheld: dict[str, int] = Field(description="How often each annotator's annotation was upheld.")


class AgreementOut(Out):
    """Agreement in a project."""

    groups: list[AgreementGroup]
    definitions: dict[str, str]
