"""What a format has no place for, counted the same way by every writer that asks.

A writer names the fields and meta keys it holds; whatever else a note or an annotation carries is
counted as lost.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from auscult.core import Annotation, Note
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import Losses

_NOTE_FIELDS = ("subject_id", "category", "time", "split")
_LEFT_OUT = "left out"


def count_note(
    note: Note, losses: Losses, *, fields: Collection[str] = (), meta: Collection[str] = ()
) -> None:
    """Count what a note carries beyond its ids, its text, and the fields and meta keys held."""
    for name in _NOTE_FIELDS:
        if name not in fields and getattr(note, name) is not None:
            losses.add(f"notes with a {name}", f"the {name} is {_LEFT_OUT}")
    _count_meta(note.meta, "notes", meta, losses)


def count_annotation(annotation: Annotation, losses: Losses, *, meta: Collection[str] = ()) -> None:
    """Count an annotation's score and the meta keys that are not held."""
    if annotation.score is not None:
        losses.add("annotations with a score", f"the score is {_LEFT_OUT}")
    _count_meta(annotation.meta, "annotations", meta, losses)


def count_annotators(corpus: Corpus, losses: Losses, default: str) -> None:
    """Count the annotations by others than the one name that reading back will give to all."""
    counted = corpus.annotations.group_by("annotator").len().sort("annotator").collect()
    for annotator, count in counted.iter_rows():
        if annotator != default:
            losses.add(
                f"annotations by the annotator {annotator}",
                f"the annotator is {_LEFT_OUT}, so they read back as by {default}",
                count,
            )


def count_records(corpus: Corpus, losses: Losses) -> None:
    """Count the records, all of them."""
    if corpus.records is not None:
        losses.add("records", _LEFT_OUT, corpus.records.collect().height)


def by_note(corpus: Corpus, losses: Losses) -> dict[str, list[Annotation]]:
    """The annotations of each note; those on no note of the corpus are counted as lost.

    So is the chart of an annotation that is not its note's: where there are only notes, an
    annotation can but follow its own.
    """
    charts: dict[str, str] = dict(corpus.notes.select("note_id", "chart_id").collect().iter_rows())
    found: dict[str, list[Annotation]] = {note_id: [] for note_id in charts}
    for annotation in corpus.iter_annotations():
        if annotation.note_id is None:
            losses.add("annotations on a whole chart (note_id is null)", _LEFT_OUT)
        elif annotation.note_id not in found:
            losses.add("annotations on notes that are not there", _LEFT_OUT)
        else:
            found[annotation.note_id].append(annotation)
            if annotation.chart_id != charts[annotation.note_id]:
                losses.add(
                    "annotations whose chart is not their note's", "read back with the note's"
                )
    return found


def _count_meta(meta: Mapping[str, str], whose: str, held: Collection[str], losses: Losses) -> None:
    for key in meta:
        if key not in held:
            losses.add(f"{whose} with meta {key!r}", f"the meta is {_LEFT_OUT}")
