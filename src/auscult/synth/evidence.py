"""Which codes a chart supports, and all evidence for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from auscult.synth.charts import WrittenChart, WrittenNote
from auscult.synth.clinical_tables import ClinicalTables
from auscult.synth.note_parts import Form, Phrase, PhraseAssertion, PhraseKind
from auscult.synth.random_draws import RandomDraws

CODED = (PhraseKind.CONDITION, PhraseKind.SYMPTOM, PhraseKind.PROCEDURE, PhraseKind.EXTERNAL)
UNCODABLE = ("Nursing", "Nursing/other")
"""Notes that coding rules forbid to code from."""
STUDIES = (
    "chest_xray", "ct_chest", "ct_head", "mri_brain", "ct_abdomen", "abdominal_ultrasound",
    "renal_ultrasound", "venous_ultrasound", "electrocardiogram", "echo",
)  # fmt: skip
"""Procedures that are billed to the professional fee whenever a report of them is there."""


class EvidencePlace(NamedTuple):
    """A phrase in a note that supports a code."""

    note: WrittenNote
    begin: int
    end: int
    phrase: Phrase


@dataclass(frozen=True, slots=True)
class SupportedCode:
    """A row of the tables whose code a chart supports, with all places that do, in order."""

    kind: PhraseKind
    row: str
    places: tuple[EvidencePlace, ...]

    def code(self, known: ClinicalTables, version: int) -> tuple[str, str] | None:
        """System and code in ICD-10 or ICD-9, or None where that has none."""
        if self.kind is PhraseKind.PROCEDURE:
            done = known.procedures[self.row]
            value = done.icd10 if version == 10 else done.icd9
            return (f"ICD-{version}-PCS", value) if value else None
        row = (
            known.conditions[self.row]
            if self.kind is PhraseKind.CONDITION
            else known.symptoms[self.row]
            if self.kind is PhraseKind.SYMPTOM
            else known.externals[self.row]
        )
        return f"ICD-{version}-CM", row.icd10 if version == 10 else row.icd9

    def name(self, known: ClinicalTables) -> str:
        """What the tables call it."""
        if self.kind is PhraseKind.PROCEDURE:
            return known.procedures[self.row].name
        if self.kind is PhraseKind.CONDITION:
            return known.conditions[self.row].name
        if self.kind is PhraseKind.SYMPTOM:
            return known.symptoms[self.row].name
        return known.externals[self.row].name


def items(chart: WrittenChart) -> list[SupportedCode]:
    """All that the chart's notes support, in the order of first mention."""
    stay = chart.stay
    coded = {illness.row: illness.coded for illness in stay.illnesses}
    unexplained = frozenset(stay.unexplained)
    done = frozenset(deed.row for deed in stay.deeds)
    found: dict[tuple[PhraseKind, str], list[EvidencePlace]] = {}
    for note in chart.notes:
        if note.category in UNCODABLE:
            continue
        for begin, end, phrase in note.phrases:
            if phrase.assertion is not PhraseAssertion.PRESENT or phrase.kind not in CODED:
                continue
            row: str | None = phrase.row
            if phrase.kind is PhraseKind.CONDITION:
                row = coded.get(phrase.row)
            elif phrase.kind is PhraseKind.SYMPTOM:
                row = row if row in unexplained else None
            elif phrase.kind is PhraseKind.PROCEDURE:
                row = row if row in done or row in STUDIES else None
            if row is not None:
                place = EvidencePlace(note, begin, end, phrase)
                found.setdefault((phrase.kind, row), []).append(place)
    return [SupportedCode(kind, row, tuple(places)) for (kind, row), places in found.items()]


def sufficient(item: SupportedCode, dice: RandomDraws) -> tuple[EvidencePlace, ...]:
    """Sufficient evidence: one or a few spans, as a coder would mark before moving on."""
    places = _best(item)
    summary = [place for place in places if place.note.category == "Discharge summary"]
    if summary and not (len(summary) < len(places) and dice.chance(0.08)):
        places = summary
    wanted = dice.weighted((1, 2, 3), (0.74, 0.2, 0.06))
    chosen = dice.some(places, wanted)
    return tuple(place for place in item.places if place in chosen)


def _best(item: SupportedCode) -> list[EvidencePlace]:
    """The spans that state it exactly, or all if none does."""
    exact = [place for place in item.places if place.phrase.form is not Form.VAGUE]
    return exact or list(item.places)
