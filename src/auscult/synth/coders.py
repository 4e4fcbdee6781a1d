"""Three coders who disagree for the reasons that MDACE's coders had, at rates that are known."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import IO

from auscult.synth import lines
from auscult.synth.charts import Chart
from auscult.synth.dice import Dice
from auscult.synth.evidence import UNCODABLE, Item, Place
from auscult.synth.knowledge import Knowledge
from auscult.synth.pieces import Assertion, Kind

SHARE = 0.25
"""The share of charts that all three coders code."""


@dataclass(frozen=True, slots=True)
class Habits:
    """A coder, and how often each cause of disagreement strikes where it can."""

    name: str
    missed: float
    """Overlooks a code."""
    elsewhere: float
    """Points at another place that says the same."""
    boundary: float
    """Highlights only a part of a phrase of several words."""
    inexperience: float
    """Takes a similar code that is wrong."""
    symptom: float
    """Leaves out a symptom that nothing explains."""
    explained: float
    """Codes a symptom although a diagnosis explains it."""
    external: float
    """Leaves out how an injury came about."""


CODERS = (
    Habits("coder_a", 0.03, 0.12, 0.05, 0.00, 0.00, 0.00, 0.00),
    Habits("coder_b", 0.06, 0.25, 0.10, 0.01, 0.50, 0.00, 0.65),
    Habits("coder_c", 0.12, 0.30, 0.18, 0.12, 0.10, 0.08, 0.20),
)
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Choice:
    """What a coder made of one code: where it is seen, as which code, and why so."""

    cause: str
    code: tuple[str, str]
    spans: tuple[tuple[int, int, int], ...] = ()
    """Note, begin and end of each place pointed at; none when the code is left out."""


class CodersWriter:
    """Writes what the three coders say, and what is true."""

    def __init__(self, annotations: IO[str], truth: IO[str], charts: IO[str], known: Knowledge):
        self._annotations = annotations
        self._truth = truth
        self._charts = charts
        self._known = known
        self.charts = 0
        self.annotations = 0
        self.causes: Counter[str] = Counter()

    def chart(self, chart: Chart, evidence: list[tuple[Item, tuple[Place, ...]]]) -> None:
        """Let the three coders code a chart whose sufficient evidence is given."""
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
                    lines.annotation(
                        "truth", code, stay.hadm_id, place.note.row_id,
                        [(place.begin, place.end)], lines.meta(**causes),
                    )
                )  # fmt: skip
            for name, choice in choices.items():
                self._write(name, stay.hadm_id, choice, code)
        self._explained_symptoms(chart, dice)

    def _write(
        self, name: str, chart_id: int, choice: Choice, true_code: tuple[str, str] | None
    ) -> None:
        self.causes[f"{name} {choice.cause}"] += 1
        meta = lines.meta(cause=choice.cause)
        if true_code is not None and choice.code != true_code:
            meta = lines.meta(cause=choice.cause, instead_of=true_code[1])
        for note_id, begin, end in choice.spans:
            self.annotations += 1
            self._annotations.write(
                lines.annotation(name, choice.code, chart_id, note_id, [(begin, end)], meta)
            )

    def _explained_symptoms(self, chart: Chart, dice: Dice) -> None:
        """Symptoms that rules forbid to code, coded by some all the same."""
        unexplained = frozenset(chart.stay.unexplained)
        first: dict[str, tuple[int, int, int]] = {}
        for note in chart.notes:
            if note.category in UNCODABLE:
                continue
            for begin, end, phrase in note.phrases:
                if (
                    phrase.kind is Kind.SYMPTOM
                    and phrase.assertion is Assertion.PRESENT
                    and phrase.row not in unexplained
                ):
                    first.setdefault(phrase.row, (note.row_id, begin, end))
        for row, span in first.items():
            code = ("ICD-10-CM", self._known.symptoms[row].icd10)
            for habits in CODERS:
                if dice.chance(habits.explained):
                    self._write(
                        habits.name, chart.stay.hadm_id, Choice("symptom", code, (span,)), None
                    )


def choose(
    habits: Habits,
    item: Item,
    places: tuple[Place, ...],
    code: tuple[str, str],
    known: Knowledge,
    dice: Dice,
) -> Choice:
    """What a coder makes of a code that the chart supports."""
    if item.kind is Kind.SYMPTOM and dice.chance(habits.symptom):
        return Choice("symptom", code)
    if item.kind is Kind.EXTERNAL and dice.chance(habits.external):
        return Choice("external cause", code)
    if dice.chance(habits.missed):
        return Choice("missed", code)
    wrong = _similar(item, known, dice)
    if wrong is not None and dice.chance(habits.inexperience):
        return Choice("inexperience", wrong, _spans(places))
    others = [place for place in item.places if place not in places]
    if others and dice.chance(habits.elsewhere):
        return Choice("elsewhere", code, _spans((dice.pick(others),)))
    long = [place for place in places if len(_WORD.findall(_words(place))) > 1]
    if long and dice.chance(habits.boundary):
        return Choice("boundary", code, (_part(dice.pick(long), dice),))
    return Choice("agreed", code, _spans(places))


def _spans(places: tuple[Place, ...]) -> tuple[tuple[int, int, int], ...]:
    return tuple((place.note.row_id, place.begin, place.end) for place in places)


def _words(place: Place) -> str:
    return place.note.text[place.begin : place.end]


def _part(place: Place, dice: Dice) -> tuple[int, int, int]:
    """The place without its first words, or without its last ones."""
    words = [match.span() for match in _WORD.finditer(_words(place))]
    cut = dice.between(1, len(words) - 1)
    kept = words[cut:] if dice.chance(0.7) else words[: len(words) - cut]
    return place.note.row_id, place.begin + kept[0][0], place.begin + kept[-1][1]


def _similar(item: Item, known: Knowledge, dice: Dice) -> tuple[str, str] | None:
    if item.kind is not Kind.CONDITION:
        return None
    row = known.conditions[item.row]
    similar = [*row.confused_with, *([row.less_specific] if row.less_specific else [])]
    codes = [known.conditions[name].icd10 for name in similar]
    codes = [code for code in codes if code != row.icd10]
    return ("ICD-10-CM", dice.pick(codes)) if codes else None
