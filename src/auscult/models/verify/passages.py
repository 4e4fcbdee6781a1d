"""The passages of a chart that the evidence for a code is in, with some text around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from auscult.assertion.sentences import sentence_edges
from auscult.core import Annotation, Note, Span
from auscult.core.span import extent

CONTEXT = 300
"""Characters on either side of the evidence."""
_LONGEST = 1500
"""Characters of one passage."""
_MOST = 4
"""Passages of one candidate, and wordings of its evidence."""
_WORDS = 200
"""Characters of one wording."""


@dataclass(frozen=True, slots=True)
class NotePassage:
    """A part of a note: where it begins, and its text exactly as it stands there."""

    note_id: str
    begin: int
    text: str = field(repr=False)

    @property
    def end(self) -> int:
        """Where it ends in the note."""
        return self.begin + len(self.text)


def passages_of(
    mentions: Iterable[Annotation], notes: Mapping[str, Note], context: int = CONTEXT
) -> tuple[NotePassage, ...]:
    """The passages around the spans of annotations, the first few; overlapping ones are joined."""
    found: list[NotePassage] = []
    for one in mentions:
        note = None if one.note_id is None else notes.get(one.note_id)
        if note is None or not note.text or not one.spans:
            continue
        whole = extent(one.spans)
        whole.of(note.text)  # an error for spans that are not in the note
        window = _window(note.text, whole, context)
        _add(found, note, window)
    return tuple(found[:_MOST])


def words_of(mentions: Iterable[Annotation], notes: Mapping[str, Note]) -> tuple[str, ...]:
    """The evidence itself, each wording once."""
    found: dict[str, None] = {}
    for one in mentions:
        note = None if one.note_id is None else notes.get(one.note_id)
        if note is not None and note.text and one.spans:
            words = " … ".join(span.of(note.text) for span in one.spans)
            found[" ".join(words.split())[:_WORDS]] = None
    return tuple(found)[:_MOST]


def _add(found: list[NotePassage], note: Note, window: Span) -> None:
    for at, other in enumerate(found):
        held = Span(other.begin, other.end)
        if other.note_id == note.note_id and held.overlaps(window):
            joined = extent([held, window])
            if len(joined) <= _LONGEST:
                found[at] = _passage(note, joined)
            elif not held.contains(window):
                found.append(_passage(note, window))
            return
    found.append(_passage(note, window))


def _passage(note: Note, window: Span) -> NotePassage:
    return NotePassage(note.note_id, window.begin, window.of(note.text or ""))


def _window(text: str, evidence: Span, context: int) -> Span:
    """The sentences around the evidence that the context reaches to in whole, or its words."""
    longest = max(_LONGEST - 2 * context, 1)
    end_of_evidence = min(evidence.end, evidence.begin + longest)
    begin = max(evidence.begin - context, 0)
    end = min(end_of_evidence + context, len(text))
    edges = [begin + edge for edge in sentence_edges(text[begin:end])[1:-1]]
    before = [edge for edge in edges if edge <= evidence.begin]
    after = [edge for edge in edges if edge >= end_of_evidence]
    if begin > 0:
        begin = before[0] if before else _after_space(text, begin, evidence.begin)
    if end < len(text):
        end = after[-1] if after else _before_space(text, end, end_of_evidence)
    while begin < evidence.begin and text[begin].isspace():
        begin += 1
    return Span(begin, end)


def _after_space(text: str, at: int, limit: int) -> int:
    """The beginning of the next word, so that none is cut."""
    while at < limit and not text[at - 1].isspace():
        at += 1
    return at


def _before_space(text: str, at: int, limit: int) -> int:
    while at > limit and not text[at].isspace():
        at -= 1
    return at
