"""Searching a chart, searching codes, and suggestions for selected text."""

from __future__ import annotations

from pydantic import Field

from auscult.server.shapes.coding import Spans
from auscult.server.shapes.common import SPANS, Edges, In, Key, Out, Words


class Search(In):
    """Words to look for in all notes of a chart; any white space may be between them."""

    words: Words = Field(min_length=1, max_length=500)
    whole_words: bool = True
    match_case: bool = False
    limit: int = Field(500, ge=1, le=5000)


class Hit(Out):
    """A place that has the words."""

    note: int
    span: Edges = Field(description=SPANS)
    before: str
    text: str
    after: str


class Hits(Out):
    """The places, in order; `total` counts those beyond the limit too."""

    total: int
    hits: list[Hit]


class CodeQuery(In):
    """A code, its beginning, or words of its name."""

    words: Words = Field(max_length=500)
    systems: list[Words] = Field(default_factory=list, max_length=20, description="None: all.")
    limit: int = Field(30, ge=1, le=200)


class SuggestQuery(In):
    """A selection in a note, or words alone."""

    note: Key | None = Field(
        None, description="The note they are in: abbreviations it spells out count."
    )
    spans: Spans = Field(default_factory=list)
    words: Words | None = Field(None, max_length=4000, description="Instead of spans.")
    limit: int = Field(30, ge=1, le=100)


class Pair(Out):
    """The code of the other revision of ICD that it maps to."""

    system: str
    code: str | None
    name: str | None
    step: str = Field(description="identical, approximate, multiple, parent or none.")
    alternatives: list[str]


class CodeOut(Out):
    """A code in a list to choose from."""

    rank: int
    system: str
    code: str
    name: str | None
    score: float | None
    why: str = Field(description="The reason for the suggestion. May quote the note.")
    known: bool | None
    billable: bool | None = Field(description="Null when its system has no table.")
    billed: bool = Field(description="Whether the chart was billed with it.")
    pair: Pair | None


class CodesOut(Out):
    """A list of codes to choose from."""

    shown: int | None = Field(
        description="The id of this list in the log, for `origin.shown`; null when not logged."
    )
    words: str = Field(description="The words that were asked about.")
    codes: list[CodeOut]


class Choice(In):
    """The outcome of a list that was shown."""

    chosen: int | None = Field(None, ge=1, le=1000, description="The rank chosen; null: none.")
    elapsed_ms: int = Field(
        ge=0, le=86_400_000, description="From shown to decided, as the browser saw it."
    )


class ShownCode(Out):
    """A code in a list that was shown."""

    system: str
    code: str
    score: float | None


class ShownOut(Out):
    """A list of suggestions that was shown, best first, and its outcome."""

    id: int
    time: str
    person: str
    note_id: str | None
    spans: list[Edges] = Field(description=SPANS)
    listed: list[ShownCode]
    chosen: int | None = Field(description="The rank that was chosen, from 1.")
    elapsed_ms: int | None = Field(description="Null: no outcome was reported.")
