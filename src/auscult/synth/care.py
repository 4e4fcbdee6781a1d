"""What follows from having a condition: drugs, laboratory results, vital signs, procedures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from auscult.synth.clinical_tables import ClinicalTables, Condition, Lab
from auscult.synth.random_draws import RandomDraws
from auscult.synth.stay import Order, PerformedProcedure, Results, Vitals

_ALWAYS = (
    "sodium", "potassium", "chloride", "bicarbonate", "bun", "creatinine", "glucose",
    "wbc", "hemoglobin", "hematocrit", "platelets",
)  # fmt: skip
_OFTEN = ("calcium", "magnesium", "phosphate", "inr", "pt", "ptt")
_SOMETIMES = ("ast", "alt", "alk_phos", "bilirubin", "albumin", "lactate", "troponin", "ckmb")
_ABRUPT = ("operating room", "cath lab", "endoscopy")


def orders(
    rows: Iterable[Condition],
    known: ClinicalTables,
    most: int,
    dice: RandomDraws,
    *,
    at_home: bool = False,
) -> list[Order]:
    """Drugs for the conditions, `most` for each at most, none of them twice."""
    chosen: dict[str, Order] = {}
    for row in rows:
        if not row.drugs:
            continue
        # The first drug of a condition's list is the likeliest.
        weights = [1.0 / (at + 1) for at in range(len(row.drugs))]
        for _ in range(dice.between(1, most)):
            drug = dice.weighted(row.drugs, weights)
            if drug not in chosen:
                ways = known.drugs[drug].orders
                if at_home:
                    ways = tuple(way for way in ways if "IV" not in way)
                if ways:
                    chosen[drug] = Order(drug, dice.pick(ways))
    return list(chosen.values())


def results(
    rows: Sequence[Condition], known: ClinicalTables, dice: RandomDraws
) -> dict[str, Results]:
    """The laboratory results of a stay: off as the conditions have them, otherwise normal."""
    off: dict[str, str] = {}
    for row in rows:
        for lab, way in row.labs.items():
            if lab not in off and dice.chance(0.85):
                off[lab] = way
    wanted = dict.fromkeys([*_ALWAYS, *off])
    if dice.chance(0.7):
        wanted.update(dict.fromkeys(_OFTEN))
    wanted.update(dict.fromkeys(lab for lab in _SOMETIMES if dice.chance(0.3)))
    found = {
        name: _results(row, off.get(name, ""), dice)
        for name, row in known.labs.items()
        if name in wanted
    }
    if "hemoglobin" in found and "hematocrit" in found:
        found["hematocrit"] = _hematocrit(found["hemoglobin"], dice)
    return found


def _results(lab: Lab, off: str, dice: RandomDraws) -> Results:
    normal = lab.normal
    usual = dice.real(*normal)
    wrong = lab.high if off == "high" else lab.low if off == "low" else None

    def shown(value: float) -> str:
        return f"{value:.{lab.digits}f}"

    if wrong is None:
        drift = (normal[1] - normal[0]) * 0.12
        worst, last = (
            shown(min(max(usual + dice.real(-drift, drift), normal[0]), normal[1]))
            for _ in range(2)
        )
        return Results(shown(usual), worst, last, "")
    # The worst results are rarer than those just outside the normal range.
    first = (
        dice.real(*wrong)
        if off == "low"
        else wrong[0] + ((wrong[1] - wrong[0]) * dice.random() * dice.random())
    )
    edge = normal[1] if off == "high" else normal[0]
    peak = first + (first - edge) * dice.real(0.0, 0.3)
    final = first + (usual - first) * dice.real(0.2, 1.0)
    return Results(shown(first), shown(max(peak, 0.0)), shown(max(final, 0.0)), off)


def _hematocrit(hemoglobin: Results, dice: RandomDraws) -> Results:
    times = dice.real(2.85, 3.1)
    values = [f"{float(v) * times:.1f}" for v in hemoglobin[:3]]
    return Results(values[0], values[1], values[2], hemoglobin.off)


def vitals(symptoms: Iterable[str], dice: RandomDraws) -> Vitals:
    """Vital signs on arrival, off as the symptoms have them."""
    have = frozenset(symptoms)
    temperature = dice.real(100.6, 103.4) if "fever" in have else dice.real(96.9, 99.1)
    pulse = dice.between(62, 98)
    if "tachycardia" in have or "palpitations" in have:
        pulse = dice.between(108, 148)
    elif "bradycardia" in have:
        pulse = dice.between(34, 52)
    systolic = dice.between(102, 164)
    breaths = dice.between(12, 19)
    saturation, oxygen = dice.between(95, 100), "RA"
    if have & {"shortness_of_breath", "hypoxia", "tachypnea", "wheezing"}:
        breaths = dice.between(20, 34)
        saturation = dice.between(84, 96)
        oxygen = dice.pick(("2L NC", "4L NC", "NRB", "RA", "50% FM", "BiPAP"))
    return Vitals(
        temperature, pulse, systolic, int(systolic * dice.real(0.5, 0.65)), breaths, saturation,
        oxygen,
    )  # fmt: skip


def deeds(
    rows: Iterable[Condition],
    known: ClinicalTables,
    admitted: datetime,
    days: int,
    dice: RandomDraws,
) -> list[PerformedProcedure]:
    """Procedures done for the conditions, and whether any note tells of each."""
    done: dict[str, PerformedProcedure] = {}
    for at, row in enumerate(rows):
        share = 0.5 if at == 0 else 0.13
        for name in row.procedures:
            if name in done or not dice.chance(share):
                continue
            share *= 0.5
            when = admitted + timedelta(hours=dice.between(2, max(3, min(24 * days - 6, 96))))
            # Operative notes are the ones that charts of intensive care most often lack.
            told = dice.chance(0.7 if known.procedures[name].where in _ABRUPT else 0.9)
            done[name] = PerformedProcedure(name, when.replace(second=0), told)
    return sorted(done.values(), key=lambda deed: deed.when)
