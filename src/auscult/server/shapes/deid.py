"""De-identification review."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from auscult.deid.phi_span import PhiKind
from auscult.deid.review import ReviewChoice
from auscult.server.shapes.common import Edges, In, Key, Offset, Out, Token, Words

FindingState = Literal["open", "decided"]


class FindingDecisionOut(Out):
    """A decision about a finding."""

    id: int
    person: str
    choice: ReviewChoice
    replacement: str | None = Field(
        description="The replacement text; null: a surrogate is generated."
    )
    why: str
    time: str


class FindingOut(Out):
    """A possible identifier. It quotes the note."""

    item_id: str
    chart: int
    chart_id: str
    note: int
    note_id: str
    span: Edges = Field(description="Unicode code points of the note's text.")
    kind: PhiKind
    before: str
    words: str
    after: str
    doubt: str = Field(description="Why it may not be an identifier; empty if certain.")
    hides: bool = Field(description="Whether it is replaced if nobody decides.")
    found_by: str | None = Field(description="Who added it, if no recognizer found it.")
    decision: FindingDecisionOut | None = Field(description="The latest decision, which counts.")
    decisions: int = Field(description="Number of decisions.")


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
    """The result of searching all notes for identifiers."""

    notes: int
    findings: int
    doubtful: int


class LookIn(In):
    """Search options."""

    day_first: bool = Field(False, description="Dates are day first: 3/4 is April 3.")


class FindingDecisionIn(In):
    """A decision about a finding."""

    client_id: Token
    item_id: Words = Field(pattern=r"^d[0-9a-f]{12}$")
    seen: Key | None = Field(
        None, description="The id of the decision you saw, null for none; a newer one is a 409."
    )
    choice: ReviewChoice
    replacement: Words | None = Field(None, max_length=500)
    why: Words = Field("", max_length=2000)


class FindingIn(In):
    """An identifier that no recognizer found."""

    client_id: Token
    note: Key
    begin: Offset
    end: Offset
    kind: PhiKind
    choice: ReviewChoice = ReviewChoice.REPLACE
    replacement: Words | None = Field(None, max_length=500)
    why: Words = Field("", max_length=2000)
