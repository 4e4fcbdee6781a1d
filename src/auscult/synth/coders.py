"""Three simulated coders who disagree for the same reasons as MDACE's coders, at known rates."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import IO

from auscult.synth import json_lines
from auscult.synth.charts import WrittenChart
from auscult.synth.clinical_tables import ClinicalTables
from auscult.synth.evidence import UNCODABLE, EvidencePlace, SupportedCode
from auscult.synth.note_parts import PhraseAssertion, PhraseKind
from auscult.synth.random_draws import RandomDraws

SHARE = 0.25
"""The share of charts that all three coders code."""


@dataclass(frozen=True, slots=True)
class Habits:
    """A simulated coder, with the rate of each cause of disagreement."""

    name: str
    missed: float
    """Overlooks a code."""
    elsewhere: float
    """Marks other evidence for the same code."""
    boundary: float
    """Highlights only a part of a phrase of several words."""
    inexperience: float
    """Assigns a similar, wrong code."""
    symptom: float
    """Omits a symptom that no diagnosis explains."""
    explained: float
    """Codes a symptom although a diagnosis explains it."""
    external: float
    """Omits the external cause of an injury."""


CODERS = (
    Habits("coder_a", 0.03, 0.12, 0.05, 0.00, 0.00, 0.00, 0.00),
    Habits("coder_b", 0.06, 0.25, 0.10, 0.01, 0.50, 0.00, 0.65),
    Habits("coder_c", 0.12, 0.30, 0.18, 0.12, 0.10, 0.08, 0.20),
)
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class CodedChoice:
    """A coder's annotation of one code: the evidence, the code, and the cause of a deviation."""

    cause: str
    code: tuple[str, str]
    spans: tuple[tuple[int, int, int], ...] = ()
    """Note, begin and end of each evidence span; none if the code is omitted."""


class CodersWriter:
    """Writes the three coders' annotations, and the gold standard."""

    def __init__(
        self, annotations: IO[str], truth: IO[str], charts: IO[str], known: ClinicalTables
    ):
        self._annotations = annotations
        self._truth = truth
        self._charts = charts
        self._known = known
        self.charts = 0
        self.annotations = 0
        self.causes: Counter[str] = Counter()

    def chart(
        self, chart: WrittenChart, evidence: list[tuple[SupportedCode, tuple[EvidencePlace, ...]]]
    ) -> None:
        """Simulate the three coders on a chart with given sufficient evidence."""
        stay = chart.stay
        dice = stay.patient.dice.fork(f"coders {stay.number}")
        if not evidence or not dice.chance(SHARE):
            return
        self.charts += 1
        self._charts.write(f"{stay.hadm_id}\n")
        for item, places in evidence:
            code = item.code(self._known, 10)
            if code is None:
                continue
            choices = {
                habits.name: choose(habits, item, places, code, self._known, dice)
                for habits in CODERS
            }
            causes = {name: choice.cause for name, choice in choices.items()}
            for place in places:
                self._truth.write(
                    json_lines.annotation(
                        "truth", code, stay.hadm_id, place.note.row_id,
                        [(place.begin, place.end)], json_lines.meta(**causes),
                    )
                )  # fmt: skip
            for name, choice in choices.items():
                self._write(name, stay.hadm_id, choice, code)
        self._explained_symptoms(chart, dice)

    def _write(
        self, name: str, chart_id: int, choice: CodedChoice, true_code: tuple[str, str] | None
    ) -> None:
        self.causes[f"{name} {choice.cause}"] += 1
        meta = json_lines.meta(cause=choice.cause)
        if true_code is not None and choice.code != true_code:
            meta = json_lines.meta(cause=choice.cause, instead_of=true_code[1])
        for note_id, begin, end in choice.spans:
            self.annotations += 1
            self._annotations.write(
                json_lines.annotation(name, choice.code, chart_id, note_id, [(begin, end)], meta)
            )

    def _explained_symptoms(self, chart: WrittenChart, dice: RandomDraws) -> None:
        """Symptoms that the guidelines exclude, coded by some coders nevertheless."""
        unexplained = frozenset(chart.stay.unexplained)
        first: dict[str, tuple[int, int, int]] = {}
        for note in chart.notes:
            if note.category in UNCODABLE:
                continue
            for begin, end, phrase in note.phrases:
                if (
                    phrase.kind is PhraseKind.SYMPTOM
                    and phrase.assertion is PhraseAssertion.PRESENT
                    and phrase.row not in unexplained
                ):
                    first.setdefault(phrase.row, (note.row_id, begin, end))
        for row, span in first.items():
            code = ("ICD-10-CM", self._known.symptoms[row].icd10)
            for habits in CODERS:
                if dice.chance(habits.explained):
                    self._write(
                        habits.name, chart.stay.hadm_id, CodedChoice("symptom", code, (span,)), None
                    )


def choose(
    habits: Habits,
    item: SupportedCode,
    places: tuple[EvidencePlace, ...],
    code: tuple[str, str],
    known: ClinicalTables,
    dice: RandomDraws,
) -> CodedChoice:
    """A coder's annotation of a code that the chart supports."""
    if item.kind is PhraseKind.SYMPTOM and dice.chance(habits.symptom):
        return CodedChoice("symptom", code)
    if item.kind is PhraseKind.EXTERNAL and dice.chance(habits.external):
        return CodedChoice("external cause", code)
    if dice.chance(habits.missed):
        return CodedChoice("missed", code)
    wrong = _similar(item, known, dice)
    if wrong is not None and dice.chance(habits.inexperience):
        return CodedChoice("inexperience", wrong, _spans(places))
    others = [place for place in item.places if place not in places]
    if others and dice.chance(habits.elsewhere):
        return CodedChoice("elsewhere", code, _spans((dice.pick(others),)))
    long = [place for place in places if len(_WORD.findall(_words(place))) > 1]
    if long and dice.chance(habits.boundary):
        return CodedChoice("boundary", code, (_part(dice.pick(long), dice),))
    return CodedChoice("agreed", code, _spans(places))


def _spans(places: tuple[EvidencePlace, ...]) -> tuple[tuple[int, int, int], ...]:
    return tuple((place.note.row_id, place.begin, place.end) for place in places)


def _words(place: EvidencePlace) -> str:
    return place.note.text[place.begin : place.end]


def _part(place: EvidencePlace, dice: RandomDraws) -> tuple[int, int, int]:
    """The span without its first or last words."""
    words = [match.span() for match in _WORD.finditer(_words(place))]
    cut = dice.between(1, len(words) - 1)
    kept = words[cut:] if dice.chance(0.7) else words[: len(words) - cut]
    return place.note.row_id, place.begin + kept[0][0], place.begin + kept[-1][1]


def _similar(
    item: SupportedCode, known: ClinicalTables, dice: RandomDraws
) -> tuple[str, str] | None:
    if item.kind is not PhraseKind.CONDITION:
        return None
    row = known.conditions[item.row]
    similar = [*row.confused_with, *([row.less_specific] if row.less_specific else [])]
    codes = [known.conditions[name].icd10 for name in similar]
    codes = [code for code in codes if code != row.icd10]
    return ("ICD-10-CM", dice.pick(codes)) if codes else None
