"""Annotations, the notes they are on, and changes to them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from auscult.server.shapes.common import SPANS, Edges, In, Key, Out, Token, Version, Words

Spans = Annotated[list[Edges], Field(max_length=200, description=SPANS)]
Verdict = Literal["accepted", "rejected"]


class Origin(In):
    """How an annotation was created, for studies of automation bias."""

    by: Literal["hand", "suggestion", "given", "search", "repeat"] = "hand"
    shown: Key | None = Field(None, description="The list of suggestions it was chosen from.")
    rank: int | None = Field(None, ge=1, le=1000, description="Its place in that list, from 1.")
    given: Key | None = Field(None, description="The pre-annotation it was accepted from.")


class NewAnnotation(In):
    """An annotation as the client makes it."""

    id: Token
    chart: Key
    note: Key | None = Field(None, description="None: the code applies to the chart as a whole.")
    spans: Spans = Field(default_factory=list)
    system: Words = Field(min_length=1, max_length=100, examples=["ICD-10-CM"])
    code: Words = Field(
        min_length=1,
        max_length=200,
        examples=["I10"],
        description="Written as published. One that is in no table is kept, and flagged `known: "
        "false`. `CUI-less` is a code of UMLS.",
    )
    comment: Words = Field("", max_length=2000)
    origin: Origin = Origin()


class AnnotationOut(Out):
    """An annotation as it stands."""

    id: str
    person: int
    annotator: str = Field(description="The person's name, which stands in exports.")
    chart: int
    note: int | None
    spans: list[Edges] = Field(description=SPANS)
    system: str
    code: str
    comment: str
    origin: Origin
    version: int = Field(description="The version of the sheet that it last changed in.")
    seq: int = Field(description="The event that it last changed by.")
    known: bool | None = Field(
        description="Whether the code is in its system's table; null when there is no table."
    )
    name: str | None = Field(description="What the code is called.")


class GivenOut(Out):
    """A pre-annotation: from the corpus (billed codes), a model, or a vocabulary."""

    id: int
    source: str
    chart: int
    note: int | None
    spans: list[Edges] = Field(description=SPANS)
    system: str
    code: str
    score: float | None
    why: str | None = Field(description="How the model came from the words to the code.")
    known: bool | None
    name: str | None
    verdict: Verdict | None = Field(description="Your verdict; null: none yet.")


class SheetOut(Out):
    """One person's work on one note (or, with `note` null, on a chart as a whole)."""

    chart: int
    note: int | None
    version: int
    annotations: list[AnnotationOut]
    given: list[GivenOut]


class NoteInList(Out):
    """A note of a chart, without its text."""

    id: int
    note_id: str
    category: str | None
    time: str | None
    characters: int = Field(description="Length of the text in code points.")
    has_text: bool
    annotations: int = Field(description="How many you made.")
    given: int = Field(description="How many pre-annotations with evidence it has.")
    version: int


class ChartInList(Out):
    """A chart in a list."""

    id: int
    chart_id: str
    position: int
    notes: int
    characters: int
    annotations: int = Field(description="How many you made.")
    assigned: bool
    finished: bool
    batch: str | None
    coders: list[str] | None = Field(description="Whom it is assigned to; null for coders.")


class ChartList(Out):
    """A page of a project's charts, in order."""

    total: int
    charts: list[ChartInList]


class ChartOut(Out):
    """A chart: its notes without text, and its chart-level codes."""

    chart: ChartInList
    notes: list[NoteInList]
    whole: SheetOut = Field(description="Codes of the chart as a whole, yours and the billed.")
    codes: list[CodeCount] = Field(description="Every code in it, and how much evidence you gave.")


class CodeCount(Out):
    """A code in a chart."""

    system: str
    code: str
    name: str | None
    known: bool | None
    billed: bool = Field(description="Whether it was given for the chart as a whole.")
    evidence: int = Field(description="How many of your annotations of it point at text.")


class NoteOut(Out):
    """A note with its text and your work on it."""

    id: int
    chart: int
    note_id: str
    category: str | None
    time: str | None
    text: str | None = Field(
        description="As it is in the corpus: line ends, tabs and marks untouched, never HTML."
    )
    sheet: SheetOut
    others: list[AnnotationOut] | None = Field(
        description="Other people's annotations; null for coders, who never see them."
    )


class Add(In):
    """Add an annotation; one whose `origin.given` is set accepts that pre-annotation."""

    op: Literal["add"]
    annotation: NewAnnotation


class Change(In):
    """Change an annotation's spans, code or comment. Chart and note stay."""

    op: Literal["change"]
    annotation: NewAnnotation


class Remove(In):
    """Remove an annotation."""

    op: Literal["remove"]
    id: Token


class Judge(In):
    """Reject a pre-annotation, or take the rejection back with null."""

    op: Literal["judge"]
    given: Key
    verdict: Literal["rejected"] | None


class Finish(In):
    """Finish a chart, or reopen it."""

    op: Literal["finish"]
    chart: Key
    finished: bool


Operation = Annotated[Add | Change | Remove | Judge | Finish, Field(discriminator="op")]


class Seen(In):
    """The version of a sheet that a change was made on."""

    chart: Key
    note: Key | None = None
    version: Version


class Step(In):
    """Changes that are made, and undone, together. All are done, or none."""

    client_id: Token
    seen: list[Seen] = Field(max_length=2000, description="One for every sheet that is touched.")
    changes: list[Operation] = Field(min_length=1, max_length=5000)


class StepBack(In):
    """Undo or redo a step."""

    client_id: Token
    seq: Key = Field(description="The step that is expected to be next, as `history` names it.")


class StepName(Out):
    """A step that can be undone or redone."""

    seq: int
    kind: str = Field(description="What it did: add, change, remove, judge, finish, or several.")
    changes: int
    chart: int
    note: int | None
    code: str | None = Field(description="System and code, when all its changes share one.")


class History(Out):
    """What undo and redo would do now."""

    undo: StepName | None
    redo: StepName | None


class SheetVersion(Out):
    """Which version a sheet has now."""

    chart: int
    note: int | None
    version: int


class VerdictOut(Out):
    """Your current verdict on a pre-annotation."""

    given: int
    verdict: Verdict | None


class FinishedOut(Out):
    """Whether you have now finished a chart."""

    chart: int
    finished: bool


class Done(Out):
    """A step that is on disk."""

    seq: int
    repeated: bool = Field(description="It was there already: a retry changed nothing.")
    sheets: list[SheetVersion] = Field(description="Every sheet it touched.")
    annotations: list[AnnotationOut] = Field(description="Those added or changed, as they stand.")
    removed: list[str] = Field(description="Ids of those that are gone.")
    verdicts: list[VerdictOut]
    finished: list[FinishedOut]
    history: History


ChartOut.model_rebuild()
