"""The second version of the notes, with names, dates and places instead of masks, annotated."""

from __future__ import annotations

from typing import IO

from auscult.synth import json_lines
from auscult.synth.charts import WrittenChart, WrittenNote

SYSTEM = "PHI"


class PhiWriter:
    """Writes the notes as they were before de-identification."""

    def __init__(self, notes: IO[str], annotations: IO[str]) -> None:
        self._notes = notes
        self._annotations = annotations
        self.annotations = 0

    def chart(self, chart: WrittenChart) -> None:
        """The notes of a chart, and all their identifiers."""
        stay = chart.stay
        for note in chart.notes:
            self._notes.write(
                json_lines.note(
                    note.row_id,
                    stay.hadm_id,
                    stay.patient.subject_id,
                    note.category,
                    time_of(note, chart),
                    note.real_text,
                )
            )
            for begin, end, secret in note.secrets:
                if secret.kind:
                    self.annotations += 1
                    self._annotations.write(
                        json_lines.annotation(
                            "truth", (SYSTEM, secret.kind), stay.hadm_id, note.row_id,
                            [(begin, end)],
                        )
                    )  # fmt: skip


def time_of(note: WrittenNote, chart: WrittenChart) -> str:
    """When the note was written, in the patient's own time."""
    when = note.when - chart.stay.patient.shift
    return when.isoformat() if note.timed else when.date().isoformat()
