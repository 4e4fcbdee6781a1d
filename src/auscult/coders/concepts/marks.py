"""Marked places: spans of notes and the concepts that annotators gave them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from auscult.codes import CUI_LESS, is_cui_less
from auscult.core import Annotation, Code, Note, Span


@dataclass(frozen=True, slots=True)
class Mark:
    """Text that somebody marked, and every concept it was given; several are all right."""

    spans: tuple[Span, ...]
    text: str = field(repr=False)
    codes: frozenset[Code] = frozenset()
    near: bool = False
    """Whether the concepts are near matches of something that none fits: it is CUI-less as well."""

    @property
    def is_cui_less(self) -> bool:
        """Whether no concept fits, and none comes near."""
        return bool(self.codes) and all(is_cui_less(code.value) for code in self.codes)

    def means(self, code: Code) -> bool:
        """Whether a code is right here; CUI-less is the same in every system."""
        if is_cui_less(code.value):
            return self.near or self.is_cui_less
        return code in self.codes


@dataclass(frozen=True, slots=True)
class MarkedNote:
    """A note and the marks on it, in order, longer ones first where several begin."""

    note: Note
    marks: tuple[Mark, ...]

    @property
    def text(self) -> str:
        """The note's text; empty when it has none."""
        return self.note.text or ""


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
        codes = tuple(given[spans]) if isinstance(given, Mapping) else ()
        proper = frozenset(code for code in codes if not is_cui_less(code.value))
        none = frozenset(Code(c.system, CUI_LESS) for c in codes if is_cui_less(c.value))
        if max(span.end for span in spans) <= len(text):
            said = " ".join(span.of(text) for span in spans)
            made.append(Mark(spans, said, proper or none, near=bool(proper and none)))
    return tuple(made)
