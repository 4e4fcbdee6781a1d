"""What a format has no place for, counted the same way by every writer that asks.

A writer names the fields and meta keys it holds; whatever else a note or an annotation carries is
counted as lost.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import polars as pl

from auscult.core import Annotation, Note
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import Losses

_NOTE_FIELDS = ("subject_id", "category", "time", "split")
"""Optional fields of a note that a format may or may not support; read_by is counted separately."""
_LEFT_OUT = "left out"


def count_note(
    note: Note, losses: Losses, *, fields: Collection[str] = (), meta: Collection[str] = ()
) -> None:
    """Count what a note carries beyond its ids, its text, and the fields and meta keys held."""
    for name in _NOTE_FIELDS:
        if name not in fields and getattr(note, name) is not None:
            losses.add(f"notes.{name}", f"notes with a {name}", f"the {name} is {_LEFT_OUT}")
    _count_meta(note.meta, "notes", meta, losses)


def count_annotation(annotation: Annotation, losses: Losses, *, meta: Collection[str] = ()) -> None:
    """Count an annotation's score and the meta keys that are not held."""
    if annotation.score is not None:
        losses.add("annotations.score", "annotations with a score", f"the score is {_LEFT_OUT}")
    _count_meta(annotation.meta, "annotations", meta, losses)


def count_readers(
    corpus: Corpus, losses: Losses, back: Mapping[str, tuple[str, ...]] | None = None
) -> None:
    """Count the notes that read back as read by others than who did read them.

    `back` has the names that notes have when they are read back, by note id.
    """
    notes = corpus.lazy_notes.select("note_id", "read_by")
    if not back:
        marked = notes.select(pl.col("read_by").is_not_null().sum()).collect().item()
        losses.add("notes.read_by", "notes with readers (read_by)", _LEFT_OUT, marked)
        return
    for note_id, read_by in notes.collect(engine="streaming").iter_rows():
        names = back.get(note_id, ())
        if tuple(read_by or ()) != names:
            what = "notes with readers (read_by)" if read_by else "notes without readers (read_by)"
            became = f"read back as read by {', '.join(names)}" if names else _LEFT_OUT
            losses.add("notes.read_by", what, became)


def count_annotators(corpus: Corpus, losses: Losses, default: str) -> None:
    """Count the annotations by others than the one name that reading back will give to all."""
    counted = corpus.lazy_annotations.group_by("annotator").len().sort("annotator").collect()
    for annotator, count in counted.iter_rows():
        if annotator != default:
            losses.add(
                "annotations.annotator",
                f"annotations by the annotator {annotator}",
                f"the annotator is {_LEFT_OUT}, so they read back as by {default}",
                count,
            )


def count_records(corpus: Corpus, losses: Losses) -> None:
    """Count the records, all of them."""
    if corpus.lazy_records is not None:
        losses.add("records", "records", _LEFT_OUT, corpus.lazy_records.collect().height)


def by_note(corpus: Corpus, losses: Losses) -> dict[str, list[Annotation]]:
    """The annotations of each note; those on no note of the corpus are counted as lost.

    So is the chart of an annotation that is not its note's: where there are only notes, an
    annotation can but follow its own.
    """
    charts: dict[str, str] = dict(
        corpus.lazy_notes.select("note_id", "chart_id").collect().iter_rows()
    )
    found: dict[str, list[Annotation]] = {note_id: [] for note_id in charts}
    for annotation in corpus.iter_annotations():
        if annotation.note_id is None:
            losses.add("annotations", "annotations on a whole chart (note_id is null)", _LEFT_OUT)
        elif annotation.note_id not in found:
            losses.add("annotations", "annotations on notes that are not in the corpus", _LEFT_OUT)
        else:
            found[annotation.note_id].append(annotation)
            if annotation.chart_id != charts[annotation.note_id]:
                losses.add(
                    "annotations.chart_id",
                    "annotations whose chart_id differs from their note's",
                    "read back with the note's chart_id",
                )
    return found


def _count_meta(meta: Mapping[str, str], whose: str, held: Collection[str], losses: Losses) -> None:
    for key in meta:
        if key not in held:
            losses.add(f"{whose}.meta", f"{whose} with meta {key!r}", f"the meta is {_LEFT_OUT}")
