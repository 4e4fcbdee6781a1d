"""Which codes a chart supports, and every place that supports each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from auscult.synth.charts import Chart, WrittenNote
from auscult.synth.dice import Dice
from auscult.synth.knowledge import Knowledge
from auscult.synth.pieces import Assertion, Form, Kind, Phrase

CODED = (Kind.CONDITION, Kind.SYMPTOM, Kind.PROCEDURE, Kind.EXTERNAL)
UNCODABLE = ("Nursing", "Nursing/other")
"""Notes that coding rules forbid to code from."""
STUDIES = (
    "chest_xray", "ct_chest", "ct_head", "mri_brain", "ct_abdomen", "abdominal_ultrasound",
    "renal_ultrasound", "venous_ultrasound", "electrocardiogram", "echo",
)  # fmt: skip
"""Procedures that are billed to the professional fee whenever a report of them is there."""


class Place(NamedTuple):
    """A phrase in a note that supports a code."""

    note: WrittenNote
    begin: int
    end: int
    phrase: Phrase


@dataclass(frozen=True, slots=True)
class Item:
    """A row of the tables whose code a chart supports, with all places that do, in order."""

    kind: Kind
    row: str
    places: tuple[Place, ...]

    def code(self, known: Knowledge, version: int) -> tuple[str, str] | None:
        """System and code in ICD-10 or ICD-9, or None where that has none."""
        if self.kind is Kind.PROCEDURE:
            done = known.procedures[self.row]
            value = done.icd10 if version == 10 else done.icd9
            return (f"ICD-{version}-PCS", value) if value else None
        row = (
            known.conditions[self.row]
            if self.kind is Kind.CONDITION
            else known.symptoms[self.row]
            if self.kind is Kind.SYMPTOM
            else known.externals[self.row]
        )
        return f"ICD-{version}-CM", row.icd10 if version == 10 else row.icd9

    def name(self, known: Knowledge) -> str:
        """What the tables call it."""
        if self.kind is Kind.PROCEDURE:
            return known.procedures[self.row].name
        if self.kind is Kind.CONDITION:
            return known.conditions[self.row].name
        if self.kind is Kind.SYMPTOM:
            return known.symptoms[self.row].name
        return known.externals[self.row].name


def items(chart: Chart) -> list[Item]:
    """All that the chart's notes support, in the order of first mention."""
    stay = chart.stay
    coded = {illness.row: illness.coded for illness in stay.illnesses}
    unexplained = frozenset(stay.unexplained)
    done = frozenset(deed.row for deed in stay.deeds)
    found: dict[tuple[Kind, str], list[Place]] = {}
    for note in chart.notes:
        if note.category in UNCODABLE:
            continue
        for begin, end, phrase in note.phrases:
            if phrase.assertion is not Assertion.PRESENT or phrase.kind not in CODED:
                continue
            row: str | None = phrase.row
            if phrase.kind is Kind.CONDITION:
                row = coded.get(phrase.row)
            elif phrase.kind is Kind.SYMPTOM:
                row = row if row in unexplained else None
            elif phrase.kind is Kind.PROCEDURE:
                row = row if row in done or row in STUDIES else None
            if row is not None:
                place = Place(note, begin, end, phrase)
                found.setdefault((phrase.kind, row), []).append(place)
    return [Item(kind, row, tuple(places)) for (kind, row), places in found.items()]


def sufficient(item: Item, dice: Dice) -> tuple[Place, ...]:
    """One or a few good places, as a coder picks who then moves on to the next code."""
    places = _best(item)
    summary = [place for place in places if place.note.category == "Discharge summary"]
    if summary and not (len(summary) < len(places) and dice.chance(0.08)):
        places = summary
    wanted = dice.weighted((1, 2, 3), (0.74, 0.2, 0.06))
    chosen = dice.some(places, wanted)
    return tuple(place for place in item.places if place in chosen)


def _best(item: Item) -> list[Place]:
    """The places that say it exactly, or all when none does."""
    exact = [place for place in item.places if place.phrase.form is not Form.VAGUE]
    return exact or list(item.places)
