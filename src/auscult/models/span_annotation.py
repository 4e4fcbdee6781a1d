"""The two capabilities of models that work on spans: named entity recognition and entity linking.

A `SpanFinder` finds spans in notes (and may link them); a `SpanLinker` tells which concept
of a vocabulary each given span means (entity linking, normalization). A model may have both.
Spans may be nested.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from pydantic import Field

from auscult.core import Annotation, Code, Note, Span
from auscult.models.architecture import Architecture, ModelConfiguration

Places = Mapping[str, Sequence[tuple[Span, ...]]]
"""Spans by note id; a discontinuous mention has several."""


class SpanConfiguration(ModelConfiguration):
    """Settings of models that work on spans."""

    vocabulary: Path | None = Field(None, description="Directory of the vocabulary.")
    semantic_types: tuple[str, ...] | None = Field(
        None, description="Semantic types to keep; default: those of the training concepts."
    )


class EntityMention(NamedTuple):
    """A place in a note, a concept that it means, and the model's confidence."""

    note: Note
    spans: tuple[Span, ...]
    code: Code
    score: float


class SpanFinder(Architecture, Protocol):
    """Named entity recognition: finds mentions in notes.

    `tuning`, if an instance has it, goes to the model card: metrics on held-out training notes.
    """

    def find(self, notes: Iterable[Note]) -> Iterator[EntityMention]:
        """The mentions in notes, in order."""
        ...


class SpanLinker(Architecture, Protocol):
    """Entity linking: finds the concepts of given spans. It may have `tuning` too."""

    def link(self, notes: Iterable[Note], places: Places) -> Iterator[EntityMention]:
        """The concepts of the spans in `places`, note by note."""
        ...


def places_of(annotations: Iterable[Annotation]) -> dict[str, list[tuple[Span, ...]]]:
    """The spans of annotations by note, without repetition."""
    found: dict[str, dict[tuple[Span, ...], None]] = {}
    for annotation in annotations:
        if annotation.note_id is not None and annotation.spans:
            found.setdefault(annotation.note_id, {})[annotation.spans] = None
    return {note_id: list(spans) for note_id, spans in found.items()}


def merged_places(first: Places, second: Places) -> dict[str, list[tuple[Span, ...]]]:
    """The spans of the first by note, and those of the second that overlap none of them.

    >>> merged_places({"n": [(Span(0, 4),)]}, {"n": [(Span(2, 6),), (Span(8, 9),)]})
    {'n': [(Span(begin=0, end=4),), (Span(begin=8, end=9),)]}
    """
    found = {note_id: list(places) for note_id, places in first.items()}
    for note_id, places in second.items():
        taken = [span for spans in first.get(note_id, ()) for span in spans]
        free = [spans for spans in places if not any(a.overlaps(b) for a in spans for b in taken)]
        if free:
            found.setdefault(note_id, []).extend(free)
    return found
