"""Marked places: spans of notes and the concepts that annotators gave them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from auscult.codes import CUI_LESS
from auscult.core import Annotation, Code, Note, Span


@dataclass(frozen=True, slots=True)
class Mark:
    """Text that somebody marked, and every concept it was given; several are all right."""

    spans: tuple[Span, ...]
    text: str = field(repr=False)
    codes: frozenset[Code] = frozenset()


@dataclass(frozen=True, slots=True)
class MarkedNote:
    """A note and the marks on it, in order, longer ones first where several begin."""

    note: Note
    marks: tuple[Mark, ...]

    @property
    def text(self) -> str:
        """The note's text; empty when it has none."""
        return self.note.text or ""


def is_cui_less(code: Code) -> bool:
    """Whether a code says that no concept fits."""
    return code.value.casefold() == CUI_LESS.casefold()


def marked(notes: Iterable[Note], annotations: Iterable[Annotation]) -> list[MarkedNote]:
    """Notes with the marks on each. Annotations on the same spans are one mark."""
    given: dict[str, dict[tuple[Span, ...], set[Code]]] = {}
    for annotation in annotations:
        if annotation.note_id is not None and annotation.spans:
            of_note = given.setdefault(annotation.note_id, {})
            of_note.setdefault(annotation.spans, set()).add(annotation.code)
    return [
        MarkedNote(note, marks_on(note.text or "", given.get(note.note_id, {}))) for note in notes
    ]


def marks_on(
    text: str, given: Mapping[tuple[Span, ...], Iterable[Code]] | Sequence[tuple[Span, ...]]
) -> tuple[Mark, ...]:
    """The marks of spans on a text, with their codes where there are some.

    Concepts win over CUI-less beside them: those are its approximations.
    """
    made = []
    for spans in sorted(given, key=lambda s: (s[0].begin, -s[-1].end, s)):
        codes = frozenset(given[spans] if isinstance(given, Mapping) else ())
        proper = frozenset(code for code in codes if not is_cui_less(code))
        if spans[-1].end <= len(text) and max(span.end for span in spans) <= len(text):
            made.append(Mark(spans, " ".join(span.of(text) for span in spans), proper or codes))
    return tuple(made)
