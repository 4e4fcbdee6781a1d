"""What every coder of concepts is made of: it reads notes span by span.

The other coders (`auscult.coders.contract`) score a fixed set of codes for whole charts. These mark
places in notes and say what each means, out of as many concepts as a vocabulary has. Spans may lie
inside one another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field

from auscult.coders.concepts.marks import MarkedNote
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code, Note, Span
from auscult.corpus.readers import Which

Places = Mapping[str, Sequence[tuple[Span, ...]]]
"""The spans to read, by note."""


class SpanConfiguration(BaseModel):
    """What every kind of coder of concepts can be told; a kind adds fields of its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    vocabulary: Path | None = Field(None, description="The vocabulary: a directory.")
    types: tuple[str, ...] | None = Field(
        None, description="Semantic types to keep to; by default those of the training concepts."
    )
    categories: tuple[str, ...] | None = Field(
        None, description="Categories of notes to read; all by default."
    )
    annotators: tuple[str, ...] | None = Field(
        None, description="Annotators to train on; by default all, or the gold standard of several."
    )
    charts: Which = Field(
        "annotated",
        description="Train on notes that the annotators have read, or on all notes; unread ones "
        "then count as having no annotations.",
    )
    systems: tuple[str, ...] | None = Field(
        None, description="Code systems to learn; all by default."
    )


class Found(NamedTuple):
    """A place in a note, a concept it means, and how sure the coder is."""

    note: Note
    spans: tuple[Span, ...]
    code: Code
    score: float


class SpanCoder(Protocol):
    """A kind of coder of concepts: the class is what the registry names."""

    config_type: ClassVar[type[SpanConfiguration]]
    needs_vocabulary: ClassVar[bool]
    needs_places: ClassVar[bool]
    """Whether it must be told where to look, since it only says what is meant there."""
    takes_places: ClassVar[bool]
    """Whether it can be told where to look."""
    tuning: Mapping[str, Any]
    """What was found while learning, for `coder.json`: counts on notes not learnt from. A kind that
    measures nothing may go without."""

    @classmethod
    def fit(
        cls, notes: Sequence[MarkedNote], vocabulary: Vocabulary | None, config: Any, *, seed: int
    ) -> Self:
        """Learn from notes with their marks."""
        ...

    def annotate(self, notes: Iterable[Note], places: Places | None = None) -> Iterator[Found]:
        """What notes mean, in order, at the given places or wherever the coder finds something."""
        ...

    def save(self, directory: Path) -> None:
        """Write what was learnt into a directory that is there; no pickle."""
        ...

    @classmethod
    def load(cls, directory: Path, vocabulary: Vocabulary | None, config: Any) -> Self:
        """What `save` wrote."""
        ...
