"""Emergency records: discrete variables, and a chief complaint as a triage nurse types it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import IO, NamedTuple

from auscult.codes.ccs import ccs9
from auscult.core import Code
from auscult.synth.clinical_tables import Condition, Symptom
from auscult.synth.epidemiology import Epidemiology
from auscult.synth.note_parts import misspell
from auscult.synth.patients import Patient
from auscult.synth.random_draws import RandomDraws
from auscult.synth.stay import Admission

COLUMNS = (
    "record_id", "subject_id", "hadm_id", "month", "weekday", "shift", "age_band", "sex", "race",
    "insurance", "hospital", "arrival", "acuity", "disposition", "icd10", "ccs", "ccs_name",
    "chief_complaint",
)  # fmt: skip
_MOST = 18
"""Words of a complaint."""
_SHIFTS = ("night", "morning", "afternoon", "evening")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_HOSPITALS = ("Main", "North", "Harbor", "Veterans", "Childrens and Womens")
_AFTER = (
    "x {n} days", "x {n}d", "since yesterday", "since this am", "for {n} hrs", "x 1 wk",
    "worse today", "on and off x {n} days", "started last night", "",
)  # fmt: skip
_BEFORE = ("c/o ", "pt c/o ", "pt states ", "sudden onset ", "worsening ", "new ", "increased ")
_BROUGHT = ("biba ", "BIBA, ", "via ems, ", "per ems ", "ambulance from home, ")
_WITH = (", ", " / ", " and ", " w/ ", " + ", "; ")
_CONSONANTS, _VOWELS = "bdfgklmnprstvxz", "aeiou"


class Visit(NamedTuple):
    """One visit: when, for what, and how it ended."""

    when: datetime
    row: Condition | Symptom
    external: str | None
    hadm_id: int | None
    died: bool


class EmergencyWriter:
    """Writes the records and the list of planted words."""

    def __init__(self, records: IO[str], canaries: IO[str], epidemiology: Epidemiology) -> None:
        self._table = csv.writer(records, lineterminator="\n")
        self._table.writerow(COLUMNS)
        self._canaries = canaries
        self._epidemiology = epidemiology
        self._sudden = [row for row in epidemiology.sudden if row.lay]
        self._symptoms = list(epidemiology.known.symptoms.values())
        self._ccs = ccs9()
        self.records = 0
        self.canaries = 0

    def patient(self, patient: Patient, stays: Sequence[Admission]) -> None:
        """At least three visits of a patient, those that led to a stay among them."""
        dice = patient.dice.fork("emergency")
        visits = [
            Visit(
                stay.admitted - timedelta(minutes=313),
                self._epidemiology.known.conditions[stay.principal.row],
                stay.external,
                stay.hadm_id,
                stay.died,
            )
            for stay in stays
            if stay.kind == "EMERGENCY"
        ]
        wanted = max(3 - len(visits), dice.between(1, 3))
        last = stays[-1]
        latest = -1 if last.died else 900
        visits += [self._visit(patient, stays, latest, dice) for _ in range(wanted)]
        visits.sort(key=lambda visit: visit.when)
        canary = _canary(dice) if dice.chance(0.02) else ""
        carriers = frozenset(dice.some(range(len(visits)), dice.between(1, 3)) if canary else ())
        if canary:
            self.canaries += 1
            self._canaries.write(canary + "\n")
        for at, visit in enumerate(visits):
            self._write(patient, at, visit, canary if at in carriers else "", dice)

    def _visit(
        self, patient: Patient, stays: Sequence[Admission], latest: int, dice: RandomDraws
    ) -> Visit:
        """A visit that led to no stay: something minor, or a symptom left at that."""
        when = stays[0].admitted - timedelta(days=dice.between(1, 1500))
        if latest > 0 and dice.chance(0.4):
            when = stays[-1].discharged + timedelta(days=dice.between(31, latest))
        when = when.replace(hour=_hour(dice), minute=dice.below(60))
        if dice.chance(0.45):
            return Visit(when, dice.pick(self._symptoms), None, None, died=False)
        age = max(18, patient.age(when))
        likely = self._epidemiology.alone(age, patient.sex)
        row = dice.weighted(self._sudden, [likely[row.id] for row in self._sudden])
        external = dice.pick(row.external) if row.external else None
        return Visit(when, row, external, None, died=False)

    def _write(
        self, patient: Patient, at: int, visit: Visit, canary: str, dice: RandomDraws
    ) -> None:
        age = max(18, patient.age(visit.when))
        admitted = visit.hadm_id is not None
        arrival = dice.weighted(
            ("ambulance", "walk-in", "police", "helicopter"),
            (60, 37, 1, 2) if admitted else (25 if age < 70 else 45, 70, 3, 0.2),
        )
        acuity = dice.weighted(
            (1, 2, 3, 4, 5), (12, 50, 34, 4, 0) if admitted else (1, 14, 50, 27, 8)
        )
        disposition = (
            "admitted"
            if admitted
            else dice.weighted(
                ("discharged", "transferred", "left without being seen", "left against advice"),
                (86, 6, 5, 3),
            )
        )
        category = self._ccs.of(Code("ICD-9-CM", visit.row.icd9)) or ""
        complaint = self._complaint(patient, visit, age, arrival, dice)
        if canary:
            complaint = f"{complaint} {canary}"
        self.records += 1
        self._table.writerow(
            (
                f"E{16 * patient.index + at:07d}",
                patient.subject_id,
                visit.hadm_id if admitted else "",
                visit.when.month,
                _DAYS[visit.when.weekday()],
                _SHIFTS[visit.when.hour // 6],
                _band(age),
                patient.sex,
                patient.race,
                patient.insurance,
                _HOSPITALS[0] if admitted else dice.pick(_HOSPITALS),
                arrival,
                acuity,
                disposition,
                visit.row.icd10,
                category,
                self._ccs.title(category),
                complaint,
            )
        )

    def _complaint(
        self, patient: Patient, visit: Visit, age: int, arrival: str, dice: RandomDraws
    ) -> str:
        """What the triage nurse types: abbreviated, in lower case or capitals, with slips."""
        known = self._epidemiology.known
        row = visit.row
        words = [dice.pick(row.lay or (row.name,))]
        symptoms = row.symptoms if isinstance(row, Condition) else ()
        if symptoms and (not row.lay or dice.chance(0.45)):
            words = [dice.pick(known.symptoms[name].lay) for name in dice.some(symptoms, 2)]
        if visit.external is not None and dice.chance(0.75):
            words.insert(0, "s/p " + dice.pick(known.externals[visit.external].phrases))
        text = words[0]
        for word in words[1:]:
            text += dice.pick(_WITH) + word
        if dice.chance(0.22):
            text = dice.pick(_BEFORE) + text
        if arrival == "ambulance" and dice.chance(0.35):
            text = dice.pick(_BROUGHT) + text
        if dice.chance(0.3):
            text += " " + dice.pick(_AFTER).format(n=dice.between(2, 7))
        if dice.chance(0.1):
            text = f"{age}{patient.sex.lower()} " + text
        style = dice.random()
        text = text.upper() if style < 0.18 else text.lower() if style < 0.75 else text
        tokens = text.split()[:_MOST]
        for slip, token in enumerate(tokens):
            if len(token) > 5 and token.isalpha() and token.islower() and dice.chance(0.02):
                tokens[slip] = misspell(token, dice)
        return " ".join(tokens)


def _hour(dice: RandomDraws) -> int:
    return dice.weighted(
        range(24), [2, 2, 1, 1, 1, 2, 3, 4, 5, 6, 7, 7, 7, 7, 6, 6, 6, 7, 7, 7, 6, 5, 4, 3]
    )


def _band(age: int) -> str:
    if age >= 90:
        return "90+"
    low = age // 10 * 10
    return f"{max(low, 18)}-{low + 9}"


def _canary(dice: RandomDraws) -> str:
    """Two words that nothing else in the world contains."""
    word = "".join(dice.pick(_CONSONANTS) + dice.pick(_VOWELS) for _ in range(4))
    return f"q{word} {dice.between(1000, 9999)}"
