"""Past history: earlier illnesses and operations, their consequences, and family history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from auscult.synth.epidemiology import Epidemiology
from auscult.synth.note_parts import PhraseKind
from auscult.synth.patients import Patient
from auscult.synth.random_draws import RandomDraws
from auscult.synth.stay import Admission, ConditionRole, Past

LEAVES = {
    "coronary_bypass": "cabg_status",
    "coronary_stent": "stent_status",
    "pacemaker": "pacemaker_status",
    "icd_implantation": "icd_status",
    "aortic_valve_replacement": "prosthetic_valve_status",
    "mitral_valve_replacement": "prosthetic_valve_status",
    "tavr": "prosthetic_valve_status",
    "kidney_transplant": "kidney_transplant_status",
    "liver_transplant": "liver_transplant_status",
    "hip_replacement": "hip_replacement_status",
    "hip_hemiarthroplasty": "hip_replacement_status",
    "knee_replacement": "knee_replacement_status",
    "below_knee_amputation": "amputation_status",
    "tracheostomy": "tracheostomy_status",
    "peg": "gastrostomy_status",
    "mastectomy": "history_of_breast_cancer",
    "ischemic_stroke": "history_of_stroke",
    "embolic_stroke": "history_of_stroke",
    "mca_stroke": "history_of_stroke",
    "transient_ischemic_attack": "history_of_stroke",
    "deep_vein_thrombosis": "history_of_dvt",
    "femoral_dvt": "history_of_dvt",
    "pulmonary_embolism": "history_of_pe",
    "pe_cor_pulmonale": "history_of_pe",
    "acute_mi": "old_mi",
    "nstemi": "old_mi",
    "stemi_anterior": "old_mi",
    "stemi_inferior": "old_mi",
    "stemi_unspecified": "old_mi",
}
"""What is coded ever after once something is over. Nothing else that is over is coded."""
_MEMORABLE = ("operating room", "cath lab", "endoscopy")
_RELATIVES = ("Mother", "Father", "Brother", "Sister", "Maternal grandmother", "Paternal uncle")


@dataclass(frozen=True, slots=True)
class Background:
    """What a patient brings along before the first stay."""

    past: tuple[Past, ...]
    family: tuple[tuple[str, str], ...]


def aftermath(stay: Admission, lasting: Sequence[str], epidemiology: Epidemiology) -> list[str]:
    """The lasting conditions, with those that a stay leaves behind."""
    rows = [i.row for i in stay.illnesses] + [deed.row for deed in stay.deeds]
    kept = list(lasting)
    for row in rows:
        left = LEAVES.get(row)
        if left is not None and not epidemiology.clashes(left, kept):
            kept.append(left)
    return kept


def background_of(patient: Patient, epidemiology: Epidemiology, dice: RandomDraws) -> Background:
    known = epidemiology.known
    acute = [
        row
        for row in epidemiology.sudden
        if row.sex in ("any", patient.sex) and row.id not in LEAVES
    ]
    weights = [row.prevalence for row in acute]
    past: dict[str, Past] = {}
    age = patient.age(patient.first_seen)
    for _ in range(dice.between(0, 3)):
        row = dice.weighted(acute, weights)
        past[row.id] = Past(PhraseKind.CONDITION, row.id, _years_ago(patient, age, dice))
    surgery = [
        done
        for done in known.procedures.values()
        if done.where in _MEMORABLE and done.id not in LEAVES
    ]
    if surgery:
        for _ in range(dice.between(0, 2)):
            done = dice.pick(surgery)
            past[done.id] = Past(PhraseKind.PROCEDURE, done.id, _years_ago(patient, age, dice))
    inherited = [row for row in epidemiology.lasting if row.kind == "chronic"]
    inherited += [row for row in epidemiology.sudden if row.icd10.startswith(("I2", "I6", "C"))]
    weights = [row.prevalence for row in inherited]
    family: dict[tuple[str, str], None] = {}
    if inherited:
        for _ in range(dice.between(0, 4)):
            relative = dice.pick(_RELATIVES)
            row = dice.weighted(inherited, weights)
            woman = relative in ("Mother", "Sister", "Maternal grandmother")
            if row.sex in ("any", "F" if woman else "M"):
                family[relative, row.id] = None
    return Background(tuple(past.values()), tuple(family))


def _years_ago(patient: Patient, age: int, dice: RandomDraws) -> date:
    days = dice.between(200, max(400, min(25, age - 17) * 365))
    return (patient.first_seen - timedelta(days=days)).date()


def past_of(
    background: Background,
    earlier: Sequence[Admission],
    epidemiology: Epidemiology,
    have: Sequence[str],
) -> tuple[Past, ...]:
    """What is over: the background, and what earlier stays were for."""
    past = {(item.kind, item.row): item for item in background.past}
    known = epidemiology.known
    for stay in earlier:
        sudden = [
            i.row for i in stay.told if i.role is not ConditionRole.LASTING and i.row not in LEAVES
        ]
        for row in sudden[:2]:
            past[PhraseKind.CONDITION, row] = Past(PhraseKind.CONDITION, row, stay.admitted.date())
        for deed in stay.deeds:
            where = known.procedures[deed.row].where
            if deed.told and where in _MEMORABLE and deed.row not in LEAVES:
                past[PhraseKind.PROCEDURE, deed.row] = Past(
                    PhraseKind.PROCEDURE, deed.row, deed.when.date()
                )
    return tuple(
        item
        for item in past.values()
        if item.kind is PhraseKind.PROCEDURE or not epidemiology.clashes(item.row, have)
    )
