"""The review of what identifies people."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from auscult.corpus.deid.found import Kind
from auscult.corpus.deid.review import Choice
from auscult.server.shapes.common import Edges, In, Key, Offset, Out, Token, Words

FindingState = Literal["open", "decided"]


class FindingDecisionOut(Out):
    """What somebody decided about a finding."""

    id: int
    person: str
    choice: Choice
    replacement: str | None = Field(description="What to write instead; null: a like value.")
    why: str
    time: str


class FindingOut(Out):
    """A place that may identify somebody. The words are those of the note."""

    item_id: str
    chart: int
    chart_id: str
    note: int
    note_id: str
    span: Edges = Field(description="Unicode code points of the note's text.")
    kind: Kind
    before: str
    words: str
    after: str
    doubt: str = Field(description="Why it may be no secret; empty: none.")
    hides: bool = Field(description="Whether it is replaced where nobody decides.")
    found_by: str | None = Field(description="Who found it, where no recogniser did.")
    decision: FindingDecisionOut | None = Field(description="The last decision, which holds.")
    decisions: int = Field(description="How often it was decided on.")


class FindingStates(Out):
    """How many findings are in which state."""

    open: int
    decided: int


class FindingsOut(Out):
    """A page of findings, in the order of the notes."""

    total: int
    states: FindingStates
    kinds: dict[str, int]
    items: list[FindingOut]


class Looked(Out):
    """What a search of all notes came to."""

    notes: int
    findings: int
    doubtful: int


class LookIn(In):
    """How to look."""

    day_first: bool = Field(False, description="Whether 3/4 is the third of April.")


class FindingDecisionIn(In):
    """A decision about a finding."""

    client_id: Token
    item_id: Words = Field(pattern=r"^d[0-9a-f]{12}$")
    seen: Key | None = Field(
        None, description="The id of the decision it stands on, null for none: another is a 409."
    )
    choice: Choice
    replacement: Words | None = Field(None, max_length=500)
    why: Words = Field("", max_length=2000)


class FindingIn(In):
    """A place that no recogniser has found."""

    client_id: Token
    note: Key
    begin: Offset
    end: Offset
    kind: Kind
    choice: Choice = Choice.REPLACE
    replacement: Words | None = Field(None, max_length=500)
    why: Words = Field("", max_length=2000)
