"""Discharge summaries with readmission outcomes: a corpus for audits, generated in memory.

Whole charts take six times as long to write.
"""

from __future__ import annotations

from auscult.core import Annotation, Note
from auscult.corpus.corpus import Corpus
from auscult.corpus.readmission import ANNOTATOR, READMITTED
from auscult.synth import notes_discharge as discharge
from auscult.synth.admissions import stays
from auscult.synth.clinical_tables import load
from auscult.synth.epidemiology import Epidemiology
from auscult.synth.history import present_illness
from auscult.synth.note_author import AuthorContext, NoteAuthor
from auscult.synth.note_parts import render
from auscult.synth.patients import make_patient
from auscult.synth.staff import Staff


def summaries(patients: int, *, seed: int = 0, readmission_effect: float = 1.0) -> Corpus:
    """The summary of every stay of so many patients; a readmission follows from what they have."""
    known = load()
    world = AuthorContext(known, Epidemiology(known, readmission_effect), Staff(seed))
    notes, annotations = [], []
    for index in range(patients):
        for stay in stays(make_patient(seed, index), world.epidemiology):
            dice = stay.patient.dice.fork(f"summary {stay.number}")
            scribe = NoteAuthor(world, stay, world.staff.on_duty("MD", dice), dice)
            story = scribe.smudged(present_illness(scribe))
            text = render(discharge.discharge_summary(scribe, story, []), 78).text
            chart = f"{index}-{stay.number}"
            about = (chart, chart, f"{index}", "Discharge summary")
            notes.append(Note(*about, text=text, read_by=(ANNOTATOR,)))
            if stay.readmitted:
                annotations.append(Annotation(ANNOTATOR, READMITTED, chart, chart))
    return Corpus.of(notes, annotations)
