"""An annotation: an annotator assigns a code to a note or chart and marks the supporting text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from auscult.core.code import Code
from auscult.core.errors import SpanError
from auscult.core.span import Span

WHY = "why"
"""The key under which an annotation's `meta` says how its words led to the code."""


class Status(StrEnum):
    """Whether a code was assigned, or only listed for inspection.

    Rankings are measured beyond the threshold, and evidence is measured for the codes that gold
    has, whatever the model thinks of them. The last two must not be mixed up: a code that was asked
    for because gold has it would make a ranking look better than it is.
    """

    GIVEN = "given"
    """The annotator assigned the code."""
    RANKED = "ranked"
    """One of the best-scoring codes below a model's threshold, not a prediction; or a suggestion of
    the workbench, which says nothing until a coder accepts it."""
    ASKED = "asked"
    """A user asked the model to explain this code; not a prediction."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """One code that an annotator assigned to a note or chart, with its evidence spans.

    Without `note_id` it speaks of the whole chart. `spans` is empty when no text is pointed at,
    and has several members when the evidence is discontinuous. `score` is a model's confidence.
    Only an annotation whose `status` is given says that the code applies.
    `meta` keeps what a format says beyond this (and is not shown, since it may quote the note).
    """

    annotator: str
    code: Code
    chart_id: str
    note_id: str | None = None
    spans: tuple[Span, ...] = ()
    score: float | None = None
    status: Status = Status.GIVEN
    meta: Mapping[str, str] = field(default_factory=dict, hash=False, repr=False)

    def to_dict(self) -> dict[str, object]:
        """For JSON, as a line of `annotations.jsonl`; without `meta`, which may quote the note.

        >>> Annotation("ann", Code("MeSH", "D006973"), "c", "n", (Span(0, 3),)).to_dict()["spans"]
        [[0, 3]]
        """
        return {
            "note_id": self.note_id,
            "chart_id": self.chart_id,
            "annotator": self.annotator,
            "system": self.code.system,
            "code": self.code.value,
            "spans": [[span.begin, span.end] for span in self.spans],
            "score": self.score,
            "status": str(self.status),
        }

    def __post_init__(self) -> None:
        if self.spans and self.note_id is None:
            raise SpanError(
                f"Annotation {self.code} on chart {self.chart_id} has spans but no note_id. "
                "Span offsets refer to the text of one note: set note_id."
            )
