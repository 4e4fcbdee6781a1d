"""Gold mentions: spans of notes and the concepts that annotators assigned to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from auscult.codes import CUI_LESS, is_cui_less
from auscult.core import Annotation, Code, Note, Span


@dataclass(frozen=True, slots=True)
class GoldMention:
    """An annotated text and all concepts assigned to it; each of them is right."""

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
    """A note and its mentions by position, longer ones first where several begin together."""

    note: Note
    marks: tuple[GoldMention, ...]

    @property
    def text(self) -> str:
        """The note's text; empty when it has none."""
        return self.note.text or ""


def marked(notes: Iterable[Note], annotations: Iterable[Annotation]) -> list[MarkedNote]:
    """Notes with their mentions. Annotations of the same spans are one mention."""
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
) -> tuple[GoldMention, ...]:
    """The marks of spans on a text, with their codes where there are some.

    Concepts win over CUI-less beside them: those are its approximations.
    """
    made = []
    for spans in sorted(given, key=lambda s: (s[0].begin, -s[-1].end, s)):
        codes = tuple(given[spans]) if isinstance(given, Mapping) else ()
        proper = frozenset(code for code in codes if not is_cui_less(code.value))
        none = frozenset(Code(c.system, CUI_LESS) for c in codes if is_cui_less(c.value))
        if max(span.end for span in spans) <= len(text):
            joined = " ".join(span.of(text) for span in spans)
            made.append(GoldMention(spans, joined, proper or none, near=bool(proper and none)))
    return tuple(made)
