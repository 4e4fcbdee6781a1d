"""What the hospital billed: what the notes support, less and more by as much noise as is asked for.

The noise is of the kinds that coders find when they compare bills with notes: codes omitted; a
similar or less exact code taken; conditions that the patient has and no note tells of; history,
status and chronic codes that came along from elsewhere; procedures whose report is missing; and
what was ruled out, is long over, or is only a symptom of something billed as well.
"""

from __future__ import annotations

from dataclasses import dataclass

from auscult.synth.charts import WrittenChart
from auscult.synth.clinical_tables import ClinicalTables
from auscult.synth.epidemiology import Epidemiology
from auscult.synth.evidence import STUDIES, SupportedCode
from auscult.synth.note_parts import PhraseKind
from auscult.synth.random_draws import RandomDraws
from auscult.synth.stay import Admission, ConditionRole, Shown

# Shares at full noise, where bills are as far from the notes as MDACE found MIMIC's to be.
_OMITTED = {ConditionRole.PRINCIPAL: 0.03, ConditionRole.SUDDEN: 0.22, ConditionRole.LASTING: 0.32}
_OMITTED_SYMPTOM, _OMITTED_CAUSE, _OMITTED_PROCEDURE = 0.6, 0.4, 0.25
_SIMILAR = 0.1
_SILENT = 0.9
_RULED_OUT = 0.15
_OVER = 0.3
_EXPLAINED_SYMPTOM = 0.2
_UNTOLD_PROCEDURE = 0.95
_UNREPORTED = 0.38
"""Of the procedures that the patient's conditions often lead to, and no note knows of."""
_FROM_ELSEWHERE = 0.65
"""Of what a patient of that age with those conditions is likely to have besides."""
_MOST_DIAGNOSES, _MOST_PROCEDURES = 39, 20


@dataclass(frozen=True, slots=True)
class Bill:
    """Undotted ICD-9 codes in order of weight, and CPT numbers with their day."""

    diagnoses: tuple[str, ...]
    procedures: tuple[str, ...]
    services: tuple[tuple[str, str], ...]
    """CPT numbers with the cost center."""


def bill(
    chart: WrittenChart,
    found: list[SupportedCode],
    epidemiology: Epidemiology,
    dice: RandomDraws,
    noise: float,
) -> Bill:
    """The bill of a stay: with noise 0 what the notes support and nothing else."""
    stay, known = chart.stay, epidemiology.known
    supported = [*_diagnoses(stay, found, known, dice, noise)]
    extra = _unsupported(stay, found, epidemiology, dice, noise)
    principal = known.conditions[stay.principal.coded].icd9
    later = dice.shuffled([code for code in (*supported, *extra) if code != principal])
    first = [principal] if principal in supported else []
    diagnoses = dict.fromkeys(_plain(code) for code in [*first, *later][:_MOST_DIAGNOSES])
    procedures = _procedures(stay, found, known, dice, noise)[:_MOST_PROCEDURES]
    return Bill(tuple(diagnoses), tuple(procedures), _services(stay, found, known, dice))


def _diagnoses(
    stay: Admission,
    found: list[SupportedCode],
    known: ClinicalTables,
    dice: RandomDraws,
    noise: float,
) -> list[str]:
    """Codes of what the notes support, but for those omitted or mistaken."""
    roles = {illness.coded: illness.role for illness in reversed(stay.illnesses)}
    codes = []
    for item in found:
        if item.kind is PhraseKind.PROCEDURE:
            continue
        code = item.code(known, 9)
        role = roles.get(item.row, ConditionRole.LASTING)
        omitted = (
            _OMITTED_SYMPTOM
            if item.kind is PhraseKind.SYMPTOM
            else _OMITTED_CAUSE
            if item.kind is PhraseKind.EXTERNAL
            else _OMITTED[role]
        )
        if code is None or dice.chance(noise * omitted):
            continue
        if item.kind is PhraseKind.CONDITION and role is not ConditionRole.PRINCIPAL:
            row = known.conditions[item.row]
            similar = [*row.confused_with, *([row.less_specific] if row.less_specific else ())]
            if similar and dice.chance(noise * _SIMILAR):
                codes.append(known.conditions[dice.pick(similar)].icd9)
                continue
        codes.append(code[1])
    return codes


def _unsupported(
    stay: Admission,
    found: list[SupportedCode],
    epidemiology: Epidemiology,
    dice: RandomDraws,
    noise: float,
) -> list[str]:
    """Codes on the bill that no note supports."""
    known = epidemiology.known
    told = {item.row for item in found if item.kind is PhraseKind.CONDITION}
    rows = [
        illness.coded
        for illness in stay.illnesses
        if (illness.shown is Shown.SILENT or illness.coded not in told)
        and dice.chance(noise * _SILENT)
    ]
    rows += [row for row in stay.ruled_out if dice.chance(noise * _RULED_OUT)]
    rows += [
        item.row
        for item in stay.past
        if item.kind is PhraseKind.CONDITION and dice.chance(noise * _OVER)
    ]
    # Of the patient, not of the stay: what is known elsewhere comes along every time.
    elsewhere = stay.patient.dice.fork("known elsewhere")
    rows += epidemiology.draw(
        epidemiology.lasting,
        [illness.row for illness in stay.illnesses],
        stay.age,
        stay.patient.sex,
        elsewhere,
        share=noise * _FROM_ELSEWHERE,
    )
    symptoms = [
        row
        for row in stay.complaints
        if row not in stay.unexplained and dice.chance(noise * _EXPLAINED_SYMPTOM)
    ]
    return [
        *(known.conditions[row].icd9 for row in rows),
        *(known.symptoms[row].icd9 for row in symptoms),
    ]


def _procedures(
    stay: Admission,
    found: list[SupportedCode],
    known: ClinicalTables,
    dice: RandomDraws,
    noise: float,
) -> list[str]:
    """Codes of what was done and told of, and of some that no report tells of."""
    told = {item.row for item in found if item.kind is PhraseKind.PROCEDURE}
    done = [deed.row for deed in stay.deeds]
    rows = [
        row
        for row in done
        if dice.chance(
            1.0 - noise * _OMITTED_PROCEDURE if row in told else noise * _UNTOLD_PROCEDURE
        )
    ]
    likely = dict.fromkeys(
        row for illness in stay.illnesses for row in known.conditions[illness.row].procedures
    )
    rows += [row for row in likely if row not in done and dice.chance(noise * _UNREPORTED)]
    codes = (known.procedures[row].icd9 for row in rows)
    return list(dict.fromkeys(_plain(code) for code in codes if code))


def _services(
    stay: Admission, found: list[SupportedCode], known: ClinicalTables, dice: RandomDraws
) -> tuple[tuple[str, str], ...]:
    services: list[tuple[str, str]] = []
    for deed in stay.deeds:
        cpt = known.procedures[deed.row].cpt
        if cpt and dice.chance(0.6):
            services.append((cpt, "ICU"))
    for item in found:
        cpt = known.procedures[item.row].cpt if item.row in STUDIES else None
        if cpt and item.kind is PhraseKind.PROCEDURE and dice.chance(0.5):
            services.append((cpt, "Resp" if item.row == "electrocardiogram" else "ICU"))
    if dice.chance(0.7):
        services.append(("99291", "ICU"))
    services += [("99232", "ICU")] * min(stay.days - 1, 4)
    return tuple(services)


def _plain(code: str) -> str:
    return code.replace(".", "")
