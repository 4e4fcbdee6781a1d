"""Discharge summaries of synthetic patients whose readmission follows from what they have."""

from __future__ import annotations

from functools import cache

from auscult.audit.ratings import Ratings
from auscult.core import Annotation, Note
from auscult.corpus.corpus import Corpus
from auscult.corpus.readmission import READMITTED
from auscult.corpus.split import split_at_random
from auscult.synth import notes_discharge as discharge
from auscult.synth import ratings
from auscult.synth.admissions import stays
from auscult.synth.epidemiology import Epidemiology
from auscult.synth.history import present_illness
from auscult.synth.knowledge import load
from auscult.synth.patients import make_patient
from auscult.synth.pieces import render
from auscult.synth.scribe import Scribe, World
from auscult.synth.staff import Staff

SEED = 3
EFFECT = 4.0


@cache
def summaries(patients: int) -> Corpus:
    """The summaries alone: whole charts take six times as long to write."""
    known = load()
    world = World(known, Epidemiology(known, EFFECT), Staff(SEED))
    notes, annotations = [], []
    for index in range(patients):
        for stay in stays(make_patient(SEED, index), world.epidemiology):
            dice = stay.patient.dice.fork(f"summary {stay.number}")
            scribe = Scribe(world, stay, world.staff.on_duty("MD", dice), dice)
            story = scribe.smudged(present_illness(scribe))
            text = render(discharge.discharge_summary(scribe, story, []), 78).text
            chart = f"{index}-{stay.number}"
            notes.append(Note(chart, chart, f"{index}", "Discharge summary", text=text))
            if stay.readmitted:
                annotations.append(Annotation("record", READMITTED, chart, chart))
    made = Corpus.of(notes, annotations)
    return split_at_random(made, {"train": 0.75, "dev": 0.05, "test": 0.2}, seed=SEED)


def planted() -> Ratings:
    """How much each rated word really matters."""
    return Ratings({word: abs(effect) for word, effect in ratings.planted(load()).items()})
