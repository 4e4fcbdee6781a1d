"""Who read a note in which nothing is annotated.

In a corpus of documents that were annotated one by one, a document without an annotation was read,
and nothing was found in it. Where no document has one, nobody has annotated yet.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from auscult.core import Annotation, Note


def only_reader(annotations: Iterable[Annotation]) -> tuple[str, ...]:
    """The one annotator there is; none where there are several, for who read what is not known."""
    names = {annotation.annotator for annotation in annotations}
    return tuple(names) if len(names) == 1 else ()


def marked_read(
    notes: Iterable[Note],
    annotations: Sequence[Annotation],
    among: Collection[str] | None = None,
    *,
    by: str | None = None,
) -> list[Note]:
    """Notes, of which those that the only annotator, or `by`, left empty are marked as read.

    Where `among` is given, only notes with these ids were shown to the annotator.
    """
    reader = only_reader(annotations) if by is None else (by,)
    full = {one.note_id for one in annotations if one.annotator in reader}
    return [
        replace(note, read_by=reader)
        if note.note_id not in full and (among is None or note.note_id in among)
        else note
        for note in notes
    ]


def read_back(reader: tuple[str, ...], wrote: Mapping[str, bool]) -> dict[str, tuple[str, ...]]:
    """The readers that notes have when they are read back, by note id.

    `wrote` says of each note whether an annotation was written for it.
    """
    if not any(wrote.values()):
        return {}
    return {note_id: reader for note_id, is_full in wrote.items() if not is_full}
