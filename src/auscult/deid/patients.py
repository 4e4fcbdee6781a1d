"""The notes of a corpus by patient, with some patients in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import polars as pl

from auscult.core import Annotation, Note
from auscult.corpus import schema
from auscult.corpus.corpus import Corpus

_NOTES_AT_ONCE = 20_000


@dataclass(frozen=True, slots=True)
class PatientNotes:
    """A patient's notes in order, and the annotations on them.

    A note without `subject_id` is of a patient of its own chart.
    """

    patient_id: str
    notes: tuple[Note, ...] = field(repr=False)
    annotations: tuple[Annotation, ...] = field(default=(), repr=False)


def by_patient() -> pl.Expr:
    """The id of a note's patient."""
    return pl.coalesce("subject_id", "chart_id").alias("patient_id")


def batches(corpus: Corpus, *, annotations: bool = True) -> Iterator[list[PatientNotes]]:
    """All patients, in the order of their first notes, as many at once as fit in memory."""
    counted = (
        corpus.lazy_notes.select(by_patient()).group_by("patient_id", maintain_order=True).len()
    )
    table = counted.collect()
    number = (table["len"].cum_sum() - 1) // _NOTES_AT_ONCE
    parts = [
        part["patient_id"].to_list() for _, part in table.group_by(number, maintain_order=True)
    ]
    for part in parts:
        chosen = (
            corpus.lazy_notes
            if len(parts) == 1
            else corpus.lazy_notes.filter(by_patient().is_in(part))
        )
        notes: dict[str, list[Note]] = {patient_id: [] for patient_id in part}
        of: dict[str, str] = {}
        for note in schema.iter_notes(chosen):
            patient_id = note.subject_id or note.chart_id
            notes[patient_id].append(note)
            of[note.note_id] = patient_id
        on: dict[str, list[Annotation]] = {}
        if annotations:
            ids = pl.LazyFrame({"note_id": list(of)}, schema={"note_id": pl.String})
            listed = corpus.lazy_all_annotations.join(
                ids, on="note_id", how="semi", maintain_order="left"
            )
            for annotation in schema.iter_annotations(listed):
                on.setdefault(of[annotation.note_id or ""], []).append(annotation)
        yield [PatientNotes(key, tuple(notes[key]), tuple(on.get(key, ()))) for key in part]
