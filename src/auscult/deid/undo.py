"""Reverse a de-identification with its key file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from auscult.core import Annotation, CorpusError, Note
from auscult.core.edits import Edit, Edited, moved_all
from auscult.core.names import shown
from auscult.corpus.corpus import Corpus
from auscult.deid.columns import key_of
from auscult.deid.key import PatientKey


def undo(corpus: Corpus, keys: Iterable[PatientKey]) -> Corpus:
    """The notes with the words, times and ids they had; annotations move with them.

    Notes that were deleted stay so. What was replaced in meta and records stays replaced.
    """
    notes: dict[str, tuple[PatientKey, list[tuple[int, int, str]]]] = {}
    ids: dict[str, dict[str, str]] = {"note": {}, "chart": {}, "patient": {}}
    for key in keys:
        for what, table in key.ids.items():
            ids[what].update(table)
        notes.update({note_id: (key, edits) for note_id, edits in key.notes.items()})
    restored: list[Note] = []
    edited: dict[str, Edited] = {}
    for note in corpus.iter_notes():
        if note.note_id not in notes:
            raise CorpusError(
                f"The key has no entry for note {shown(note.note_id)}; it belongs to another "
                "corpus."
            )
        key, edits = notes[note.note_id]
        text = note.text or ""
        if edits and edits[-1][1] > len(text):
            raise CorpusError(
                f"Note {shown(note.note_id)} is shorter than the key expects; it was changed "
                "after de-identification."
            )
        now = Edited.of(text, [Edit(*one) for one in edits])
        edited[note.note_id] = now
        restored.append(
            replace(
                note,
                note_id=ids["note"].get(note.note_id, note.note_id),
                chart_id=ids["chart"].get(note.chart_id, note.chart_id),
                subject_id=ids["patient"].get(note.subject_id or "", note.subject_id),
                time=key.times.get(note.note_id),
                text=None if note.text is None else now.text,
            )
        )
    annotations = [
        _restored(one, edited, ids) for one in corpus.iter_annotations(every_status=True)
    ]
    made = Corpus.of(restored, annotations, None, corpus.manifest)
    return replace(
        made,
        lazy_records=None if corpus.lazy_records is None else _records(corpus.lazy_records, ids),
    )


def _restored(
    one: Annotation, edited: dict[str, Edited], ids: dict[str, dict[str, str]]
) -> Annotation:
    chart_id = ids["chart"].get(one.chart_id, one.chart_id)
    if one.note_id is None:
        return replace(one, chart_id=chart_id)
    spans, _ = moved_all(edited[one.note_id], one.spans)
    note_id = ids["note"].get(one.note_id, one.note_id)
    return replace(one, chart_id=chart_id, note_id=note_id, spans=spans)


def _records(records: pl.LazyFrame, ids: dict[str, dict[str, str]]) -> pl.LazyFrame:
    there = records.collect_schema()
    return records.with_columns(
        pl.col(column).replace(ids[what])
        for column, kind in there.items()
        if (what := key_of(column)) in ids and kind == pl.String and ids[what]
    )
