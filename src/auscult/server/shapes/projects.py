"""Projects, assignments, progress, pre-annotations."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from auscult.server.access import Role
from auscult.server.projects.create import DEFAULT_SYSTEMS, Evidence
from auscult.server.shapes.common import In, Key, Out, Title, Token, Words

PreAnnotator = Literal["codebook", "none"]


class ProjectIn(In):
    """The schema of a project."""

    name: Title
    about: Words = Field("", max_length=5000)
    systems: list[Words] = Field(
        default_factory=lambda: list(DEFAULT_SYSTEMS), min_length=1, max_length=20
    )
    evidence: Evidence = Evidence.SUFFICIENT
    coders_per_chart: int = Field(1, ge=1, le=5, description="2 is double coding, blind.")
    guidelines: Words = Field("", max_length=200_000, description="Markdown.")
    logs_suggestions: bool = Field(
        False, description="Log suggestions, their ranks and the chosen code."
    )
    pre_annotate: PreAnnotator | None = Field(
        None,
        description="The model whose suggestions coders accept or reject. null: codebook for "
        "single coding with ICD-10-CM and without pre_annotators, otherwise none.",
    )


class ProjectChange(In):
    """What to change of a project; what is left out stays. Charts and systems in use stay."""

    name: Title | None = None
    about: Words | None = Field(None, max_length=5000)
    systems: list[Words] | None = Field(None, min_length=1, max_length=20)
    evidence: Evidence | None = None
    coders_per_chart: int | None = Field(None, ge=1, le=5)
    guidelines: Words | None = Field(None, max_length=200_000)
    logs_suggestions: bool | None = None
    pre_annotate: PreAnnotator | None = Field(
        None, description="codebook: start or go on; none: stop. Suggestions that are there stay."
    )
    is_archived: bool | None = None


class ProjectInList(Out):
    """A project that you are a member of, or, for admins, any."""

    id: int
    name: str
    about: str
    role: Role | None = Field(description="Your role in it; null for an admin who is not a member.")
    charts: int
    assigned: int = Field(description="Charts assigned to you.")
    finished: int = Field(description="Those of them that you have finished.")
    is_sample: bool
    is_archived: bool


class ProjectOut(Out):
    """A project."""

    id: int
    name: str
    about: str
    role: Role
    systems: list[str]
    evidence: Evidence
    coders_per_chart: int
    guidelines: str = Field(description="Markdown.")
    guidelines_html: str = Field(
        description="The same as HTML, made here; raw HTML in it is shown as text."
    )
    logs_suggestions: bool
    has_vocabulary: bool
    pre_annotator: str | None = Field(description="The model that pre-annotates the notes.")
    corpus: dict[str, Any] = Field(description="Name, license, source and access of the corpus.")
    charts: int
    is_sample: bool
    is_archived: bool
    seq: int = Field(description="The last event.")


class AssignIn(In):
    """A batch of charts for some people. Each chart goes to `coders_per_chart` of them."""

    client_id: Token
    people: list[Key] = Field(min_length=1, max_length=200)
    size: int | None = Field(
        None, ge=1, le=100_000, description="How many charts, of those nobody has yet; null: all."
    )
    charts: list[Key] | None = Field(
        None, max_length=20_000, description="These charts, instead of the next ones."
    )
    batch: Words = Field("", max_length=100)


class AssignOut(Out):
    """What was assigned."""

    charts: int
    assignments: int
    batch: str


class Unassign(In):
    """Take charts from somebody. What they did there stays; charts they finished stay theirs."""

    client_id: Token
    person: Key
    charts: list[Key] = Field(min_length=1, max_length=20_000)


class ProgressOut(Out):
    """A member's progress."""

    person: int
    name: str
    role: Role
    assigned: int
    started: int
    finished: int
    annotations: int
    last: str | None = Field(description="When they last changed something.")
    batches: dict[str, tuple[int, int]] = Field(description="Finished and assigned, by batch.")


class GivenSource(Out):
    """A source of pre-annotations, and how many were accepted or rejected."""

    source: str
    annotations: int
    of_charts: int = Field(description="How many are codes of a chart as a whole.")
    accepted: int
    rejected: int


class PreAnnotationOut(Out):
    """How far a model has come with the notes of a project."""

    model: str | None = Field(description="null: switched off.")
    notes: int = Field(description="Notes with a text.")
    done: int
    skipped: int = Field(
        description="Left alone: somebody was working on them, or they had such suggestions."
    )
    failed: int = Field(description="Notes that the model could not read.")
    suggestions: int = Field(description="How many it made.")
    problem: str | None = Field(description="Why it has stopped.")


class Imported(Out):
    """How many pre-annotations came in."""

    added: int
    left_out: int = Field(description="On notes that the project does not have.")
    sources: list[str]
