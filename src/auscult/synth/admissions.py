"""A patient's stays over the years: what brings them in, what they have, whether they come back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from auscult.synth import care
from auscult.synth.clinical_tables import ClinicalTables, Condition
from auscult.synth.epidemiology import Epidemiology
from auscult.synth.past_history import Background, aftermath, background_of, past_of
from auscult.synth.patients import Patient
from auscult.synth.phrases import is_hedged
from auscult.synth.random_draws import RandomDraws, logistic
from auscult.synth.stay import (
    Admission,
    ConditionRole,
    Illness,
    Order,
    PerformedProcedure,
    Shown,
    hadm_id,
)

MOST_STAYS = 8
_AGAIN = 0.26
"""The share of those not readmitted at once who come back in later years."""
_UNIT = {
    "cardiovascular": ("CCU", "CARDIOLOGY"),
    "neurological": ("TSICU", "NEUROLOGY"),
    "injury": ("TSICU", "SURGERY"),
    "musculoskeletal": ("SICU", "ORTHOPAEDICS"),
}
"""Where patients lie, and whose they are; all others are in the medical unit."""


def stays(patient: Patient, epidemiology: Epidemiology) -> list[Admission]:
    """All stays of a patient, the first one first."""
    dice = patient.dice.fork("stays")
    known = epidemiology.known
    age = patient.age(patient.first_seen)
    lasting = epidemiology.draw(epidemiology.lasting, (), age, patient.sex, dice)
    background = background_of(patient, epidemiology, dice)
    drugs: dict[str, Order] = {}
    when = patient.first_seen
    found: list[Admission] = []
    while len(found) < MOST_STAYS:
        treated = [known.conditions[name] for name in lasting]
        for order in care.orders(treated, known, 2, dice, at_home=True):
            drugs.setdefault(order.row, order)
        back = bool(found) and found[-1].readmitted
        stay = _stay(patient, epidemiology, background, lasting, drugs, when, found, back, dice)
        soon = not stay.died and dice.chance(logistic(stay.log_odds))
        found.append(replace(stay, readmitted=soon))
        if stay.died or not (soon or dice.chance(_AGAIN)):
            break
        wait = dice.between(2, 28) if soon else 32 + int(1400 * dice.random() * dice.random())
        when = stay.discharged + timedelta(days=wait, minutes=dice.below(600))
        age = patient.age(when)
        lasting = aftermath(stay, lasting, epidemiology)
        lasting += epidemiology.draw(
            epidemiology.lasting, lasting, age, patient.sex, dice, share=0.02 if soon else 0.06
        )
    if len(found) == MOST_STAYS and found[-1].readmitted:
        found[-1] = replace(found[-1], readmitted=False)
    return found


def _stay(
    patient: Patient,
    epidemiology: Epidemiology,
    background: Background,
    lasting: Sequence[str],
    drugs: dict[str, Order],
    when: datetime,
    earlier: Sequence[Admission],
    back: bool,
    dice: RandomDraws,
) -> Admission:
    known = epidemiology.known
    age = patient.age(when)
    principal, elective = _principal(patient, epidemiology, lasting, age, back, dice)
    sudden = [principal.id] if principal.kind in ("acute", "injury") else []
    kept = [name for name in lasting if not epidemiology.clashes(name, sudden)]
    sudden += epidemiology.draw(
        [row for row in epidemiology.sudden if row.kind == "acute"],
        [*kept, *sudden],
        age,
        patient.sex,
        dice,
        share=0.5 if elective else 1.0,
    )
    illnesses = [_illness(principal, ConditionRole.PRINCIPAL, dice)]
    illnesses += [
        _illness(known.conditions[name], ConditionRole.SUDDEN, dice)
        for name in sudden
        if name != principal.id
    ]
    illnesses += [
        _illness(known.conditions[name], ConditionRole.LASTING, dice)
        for name in kept
        if name != principal.id
    ]
    illnesses = [_exact_beside(i, illnesses, epidemiology) for i in illnesses]
    rows = [known.conditions[i.row] for i in illnesses]
    complaints, unexplained, explained = _symptoms(illnesses, known, dice)
    died = dice.chance(_mortality(rows, len(sudden), age))
    days = _days(len(sudden), elective, dice)
    discharged = when + timedelta(days=days)
    discharged = discharged.replace(hour=dice.between(10, 19), minute=dice.below(60), second=0)
    home = [
        order
        for order in drugs.values()
        if any(order.row in known.conditions[name].drugs for name in kept)
    ]
    started = [
        order
        for order in care.orders([r for r in rows if r.kind in ("acute", "injury")], known, 3, dice)
        if order.row not in drugs
    ]
    unit, service = _UNIT.get(principal.system, ("MICU", "MEDICINE"))
    if any(known.procedures[p].where == "operating room" for p in principal.procedures):
        cardiac = principal.system == "cardiovascular"
        unit, service = ("CSRU", "CARDIOTHORACIC") if cardiac else (unit, service)
    prior = len(earlier)
    done = care.deeds(rows, known, when, days, dice)
    return Admission(
        patient=patient,
        number=prior,
        hadm_id=hadm_id(patient.index, prior),
        admitted=when.replace(second=0),
        discharged=discharged,
        died=died,
        kind="ELECTIVE" if elective else "EMERGENCY" if back or dice.chance(0.95) else "URGENT",
        unit=unit,
        service=service,
        illnesses=tuple(illnesses),
        complaints=tuple(complaints),
        unexplained=tuple(unexplained),
        external=(
            dice.pick(principal.external) if principal.external and dice.chance(0.95) else None
        ),
        deeds=tuple(done),
        ruled_out=tuple(_ruled_out(patient, epidemiology, rows, explained, age, dice)),
        past=past_of(background, earlier, epidemiology, [i.row for i in illnesses]),
        family=background.family,
        home_drugs=tuple(home),
        new_drugs=tuple(started),
        stopped=tuple(order.row for order in home if dice.chance(0.1)),
        labs=care.results(rows, known, dice),
        vitals=care.vitals([*complaints, *unexplained], dice),
        log_odds=epidemiology.log_odds(rows, back=back),
        explained=explained,
        facts=_facts(patient, age, done, home, known),
    )


_AIRWAY = ("intubation", "mechanical_ventilation", "prolonged_ventilation", "tracheostomy")


def _facts(
    patient: Patient,
    age: int,
    done: Sequence[PerformedProcedure],
    drugs: Sequence[Order],
    known: ClinicalTables,
) -> frozenset[str]:
    rows = [deed.row for deed in done]
    ventilated = any(row in _AIRWAY for row in rows)
    facts = {
        "ventilated": ventilated,
        "awake": not ventilated,
        "operated": any(known.procedures[row].where == "operating room" for row in rows),
        "lined": "central_line" in rows or ventilated,
        "old": age >= 70,
        "medicated": bool(drugs),
        "married": patient.marital == "MARRIED",
        "cared_for": patient.lives in ("nursing home", "assisted living"),
        "own_home": patient.lives in ("alone", "with family"),
    }
    return frozenset(name for name, so in facts.items() if so)


def _principal(
    patient: Patient,
    epidemiology: Epidemiology,
    lasting: Sequence[str],
    age: int,
    back: bool,
    dice: RandomDraws,
) -> tuple[Condition, bool]:
    """What brings the patient in, and whether the stay was planned."""
    known = epidemiology.known
    if not back and dice.chance(0.12):
        planned = [
            row
            for row in (known.conditions[name] for name in lasting)
            if any(known.procedures[p].where == "operating room" for p in row.procedures)
        ]
        if planned:
            return dice.pick(planned), True
    weights = []
    have = frozenset(lasting)
    for row in epidemiology.sudden:
        weight = epidemiology.likelihood(row.id, have, age, patient.sex)
        if not row.symptoms and row.kind == "acute":
            weight *= 0.1  # found in hospital, seldom the reason to come
        if row.kind == "injury":
            weight *= 3.0  # an injury is nearly always the reason
        if back and row.readmission > 0:
            weight *= 4.0
        weights.append(weight)
    return dice.weighted(epidemiology.sudden, weights), False


def _illness(row: Condition, role: ConditionRole, dice: RandomDraws) -> Illness:
    throw = dice.random()
    place = dice.random()
    if (
        row.less_specific
        and row.vague
        and throw < (0.1 if role is ConditionRole.PRINCIPAL else 0.22)
    ):
        return Illness(row.id, role, Shown.VAGUE, row.less_specific)
    if role is not ConditionRole.PRINCIPAL:
        reported = [
            kind
            for kind, sentences in row.reported.items()
            if not all(is_hedged(sentence) for sentence in sentences)
        ]
        if reported and throw > 0.86:
            return Illness(row.id, role, Shown.ASIDE, row.id, reported[int(place * len(reported))])
        if throw > 0.94:
            return Illness(row.id, role, Shown.ASIDE, row.id, "physician")
        if role is ConditionRole.LASTING and 0.72 < throw <= 0.86:
            return Illness(row.id, role, Shown.SILENT, row.id)
    return Illness(row.id, role, Shown.FULL, row.id)


def _exact_beside(
    illness: Illness, illnesses: Sequence[Illness], epidemiology: Epidemiology
) -> Illness:
    """The illness, told exactly where the code for telling it vaguely would contradict another.

    Diabetes without complications is no code for someone whose diabetes has harmed the eyes.
    """
    others = [i.row for i in illnesses if i.row != illness.row]
    if illness.shown is Shown.VAGUE and epidemiology.clashes(illness.coded, others):
        return illness._replace(shown=Shown.FULL, coded=illness.row)
    return illness


def _symptoms(
    illnesses: Sequence[Illness], known: ClinicalTables, dice: RandomDraws
) -> tuple[list[str], list[str], frozenset[str]]:
    """What the patient complains of, which of that nothing explains, and all that is explained."""
    explained = {s: None for i in illnesses for s in known.conditions[i.row].symptoms}
    complaints: dict[str, None] = {}
    for at, illness in enumerate(i for i in illnesses if i.role is not ConditionRole.LASTING):
        symptoms = known.conditions[illness.row].symptoms
        wanted = dice.between(1, 3) if at == 0 else dice.below(2)
        complaints.update(dict.fromkeys(dice.some(symptoms, wanted)))
    families = {known.symptoms[s].icd10[:3] for s in explained}
    free = [s.id for s in known.symptoms.values() if s.icd10[:3] not in families]
    unexplained: list[str] = []
    if free and (dice.chance(0.42) or not complaints):
        unexplained = dice.some(free, 1 if dice.chance(0.75) else 2)
    return (
        [*complaints, *unexplained],
        unexplained,
        frozenset(explained),
    )


def _mortality(rows: Sequence[Condition], sudden: int, age: int) -> float:
    share = 0.012 + 0.022 * max(0, sudden - 1)
    share *= 0.6 if age < 55 else 1.0 if age < 75 else 1.6
    if any(row.icd10 == "Z66" for row in rows):
        share *= 2.5
    return min(share, 0.5)


def _days(sudden: int, elective: bool, dice: RandomDraws) -> int:
    most = 4.0 if elective else 4.0 + 1.6 * min(sudden, 6)
    return 1 + int(dice.random() * most + dice.random() * dice.random() * most)


def _ruled_out(
    patient: Patient,
    epidemiology: Epidemiology,
    rows: Sequence[Condition],
    explained: frozenset[str],
    age: int,
    dice: RandomDraws,
) -> list[str]:
    """Conditions thought of and found not to be there: those like the patient's, then any."""
    known = epidemiology.known
    codes = frozenset(row.icd10[:3] for row in rows)
    taken = {row.id for row in rows}.union(*(epidemiology.rivals[row.id] for row in rows))
    likely = epidemiology.alone(age, patient.sex)

    def fits(row: Condition) -> bool:
        return (
            row.id not in taken
            and likely[row.id] > 0.0
            and row.kind in ("acute", "chronic")
            and row.icd10[:3] not in codes
        )

    near = {n: None for row in rows if row.kind == "acute" for n in row.confused_with}
    similar = [name for name in near if fits(known.conditions[name])]
    chosen = dict.fromkeys(dice.some(similar, dice.between(1, 3)))
    others = [row for row in epidemiology.sudden if row.kind == "acute" and fits(row)]
    if others:
        weights = [
            likely[row.id] * (3.0 if not explained.isdisjoint(row.symptoms) else 1.0)
            for row in others
        ]
        for _ in range(dice.between(1, 3)):
            chosen[dice.weighted(others, weights).id] = None
    return list(chosen)
