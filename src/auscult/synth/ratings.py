"""Simulated ratings by three clinicians of a word's importance for readmission, from 1 to 5."""

from __future__ import annotations

import csv
from pathlib import Path

from auscult.synth.clinical_tables import ClinicalTables
from auscult.synth.random_draws import RandomDraws

CLINICIANS = ("clinician_1", "clinician_2", "clinician_3")
_TELLING = 34
"""How many words that name conditions are rated; the rest say nothing about readmission."""
_STRONGEST = 14
"""How many of those are the ones that matter most; the others are spread over all effects."""
_FREQUENT = 0.012
"""How often, in shares of admissions, a word must be expected to be rated."""
_IDLE = (
    "patient", "mother", "father", "prescribed", "daily", "mg", "admission", "family", "hospital",
    "denies", "normal", "provider", "stable", "morning", "service", "shower",
)  # fmt: skip
_COMMON = frozenset(
    ("acute", "chronic", "disease", "disorder", "syndrome", "stage", "type", "other", "unspecified",
     "left", "right", "mild", "severe", "upper", "lower", "status", "history", "major", "primary",
     "without", "closed", "initial", "encounter", "failure", "infection", "injury", "essential",
     "region", "affecting", "dominant", "persistent", "attack", "restless", "transient", "during",
     "induced", "related", "associated", "complicated", "uncomplicated", "recurrent", "single",
     "response", "origin", "presence", "medication", "permanent", "former", "extremity", "sacral",
     "requirement", "multiple", "generalized", "episode", "dementing")
)  # fmt: skip


def planted(known: ClinicalTables) -> dict[str, float]:
    """For each rated word the effect planted: what the conditions it names add to the log-odds.

    It is the mean over the conditions, each counting as often as the word is likely to mean it.
    """
    mass: dict[str, float] = {}
    effect: dict[str, float] = {}
    for row in known.conditions.values():
        forms = dict.fromkeys((row.name, *row.synonyms))
        for form in forms:
            for word in dict.fromkeys(form.lower().replace("-", " ").replace(",", " ").split()):
                share = row.prevalence / len(forms)
                mass[word] = mass.get(word, 0.0) + share
                effect[word] = effect.get(word, 0.0) + share * row.readmission
    telling = [
        word
        for word, often in mass.items()
        if often >= _FREQUENT and len(word) > 5 and word.isalpha() and word not in _COMMON
    ]
    telling.sort(key=lambda word: (-effect[word] / mass[word], word))
    rest = telling[_STRONGEST:]
    step = max(1, len(rest) // (_TELLING - _STRONGEST))
    chosen = telling[:_STRONGEST] + rest[::step][: _TELLING - _STRONGEST]
    found = {word: round(effect[word] / mass[word], 2) + 0.0 for word in chosen}
    return {**found, **dict.fromkeys(_IDLE, 0.0)}


def write(folder: Path, known: ClinicalTables, seed: int) -> int:
    """Write the ratings and the effects behind them, and say how many words there are."""
    folder.mkdir(parents=True)
    dice = RandomDraws(f"{seed}/ratings")
    effects = planted(known)
    largest = max(abs(effect) for effect in effects.values()) or 1.0
    with (
        (folder / "clinicians.csv").open("w", encoding="utf-8", newline="") as ratings,
        (folder / "planted.csv").open("w", encoding="utf-8", newline="") as truth,
    ):
        table = csv.writer(ratings, lineterminator="\n")
        table.writerow(("word", *CLINICIANS))
        planted_table = csv.writer(truth, lineterminator="\n")
        planted_table.writerow(("word", "effect"))
        for word in dice.shuffled(list(effects)):
            true_score = 1.2 + 3.6 * abs(effects[word]) / largest
            scores = [round(true_score + 0.55 * dice.bell()) for _ in CLINICIANS]
            table.writerow((word, *(min(5, max(1, score)) for score in scores)))
            planted_table.writerow((word, f"{effects[word]:.2f}"))
    return len(effects)
