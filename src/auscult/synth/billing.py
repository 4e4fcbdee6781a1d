"""What the hospital billed: nearly what the notes support, and nearly what the patient had."""

from __future__ import annotations

from dataclasses import dataclass

from auscult.synth.charts import Chart
from auscult.synth.dice import Dice
from auscult.synth.evidence import STUDIES, Item
from auscult.synth.knowledge import Knowledge
from auscult.synth.pieces import Kind
from auscult.synth.stay import Role, Shown

_UNBILLED = {Role.PRINCIPAL: 0.0, Role.SUDDEN: 0.16, Role.LASTING: 0.3}
"""Shares of the conditions the notes tell of that no one billed."""
_SILENT_BILLED = 0.85
_CONFUSED = 0.05
_RULED_OUT_BILLED = 0.06
_PAST_BILLED = 0.12
"""What the notes deny, or say is over, gets on the bill now and then."""


@dataclass(frozen=True, slots=True)
class Bill:
    """Undotted ICD-9 codes in order of weight, and CPT numbers with their day."""

    diagnoses: tuple[str, ...]
    procedures: tuple[str, ...]
    services: tuple[tuple[str, str], ...]
    """CPT numbers with the cost centre."""


def bill(chart: Chart, found: list[Item], known: Knowledge, dice: Dice) -> Bill:
    """The bill of a stay."""
    stay = chart.stay
    supported = {(item.kind, item.row) for item in found}
    diagnoses: dict[str, None] = {}
    for illness in stay.illnesses:
        row = known.conditions[illness.coded]
        if illness.shown is Shown.SILENT or (Kind.CONDITION, illness.coded) not in supported:
            if dice.chance(_SILENT_BILLED):
                diagnoses[_plain(row.icd9)] = None
        elif not dice.chance(_UNBILLED[illness.role]):
            if row.confused_with and illness.role is not Role.PRINCIPAL and dice.chance(_CONFUSED):
                row = known.conditions[dice.pick(row.confused_with)]
            diagnoses[_plain(row.icd9)] = None
    wrongly = [row for row in stay.ruled_out if dice.chance(_RULED_OUT_BILLED)]
    wrongly += [
        item.row for item in stay.past if item.kind is Kind.CONDITION and dice.chance(_PAST_BILLED)
    ]
    for name in wrongly:
        diagnoses[_plain(known.conditions[name].icd9)] = None
    for name in stay.unexplained:
        if dice.chance(0.5):
            diagnoses[_plain(known.symptoms[name].icd9)] = None
    if stay.external is not None and dice.chance(0.75):
        diagnoses[_plain(known.externals[stay.external].icd9)] = None
    procedures: dict[str, None] = {}
    services: list[tuple[str, str]] = []
    for deed in stay.deeds:
        done = known.procedures[deed.row]
        if done.icd9 and dice.chance(0.92):
            procedures[_plain(done.icd9)] = None
        if done.cpt and dice.chance(0.6):
            services.append((done.cpt, "ICU"))
    for item in found:
        cpt = known.procedures[item.row].cpt if item.row in STUDIES else None
        if cpt and item.kind is Kind.PROCEDURE and dice.chance(0.5):
            services.append((cpt, "Resp" if item.row == "electrocardiogram" else "ICU"))
    if dice.chance(0.7):
        services.append(("99291", "ICU"))
    services += [("99232", "ICU")] * min(stay.days - 1, 4)
    return Bill(tuple(diagnoses), tuple(procedures), tuple(services))


def _plain(code: str) -> str:
    return code.replace(".", "")
