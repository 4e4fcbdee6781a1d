"""Discharge summaries of synthetic patients whose readmission follows from what they have."""

from __future__ import annotations

from functools import cache

from auscult.audit.ratings import ClinicianRatings
from auscult.corpus.corpus import Corpus
from auscult.corpus.split import split_at_random
from auscult.synth import ratings
from auscult.synth.clinical_tables import load
from auscult.synth.summaries import summaries as written

SEED = 3
EFFECT = 4.0


@cache
def summaries(patients: int) -> Corpus:
    """Summaries in three splits."""
    made = written(patients, seed=SEED, readmission_effect=EFFECT)
    return split_at_random(made, {"train": 0.75, "dev": 0.05, "test": 0.2}, seed=SEED)


def planted() -> ClinicianRatings:
    """How much each rated word really matters."""
    return ClinicianRatings({word: abs(effect) for word, effect in ratings.planted(load()).items()})
