"""Entities, Figure 1: from a line of a note to its concepts."""

from __future__ import annotations

from auscult.reproduce.contract import Measured, Printed, Reproduction, ReproductionOutcome
from auscult.reproduce.entities.names import NEEDS, STAND_IN, is_suggested, names
from auscult.reproduce.work import Workspace

_LINE = "Afeb. On vanco, pip. UO marginal"
_CONCEPTS = {"Afeb": "C0277797", "vanco": "C0042313", "pip": "C0031955", "UO": "C1287928"}
_COLUMN = "concept among the first ten suggestions"


def run(work: Workspace) -> ReproductionOutcome:
    """Suggest concepts for each annotated string, within its line."""
    suggester, used = names(work)
    numbers = {}
    for text, concept in _CONCEPTS.items():
        there = float(is_suggested(suggester, text, concept, note=_LINE))
        numbers[f"{text} · {_COLUMN}"] = Measured(there, used.basis)
    return ReproductionOutcome(numbers, (used,))


REPRODUCTION = Reproduction(
    name="entities-figure-1",
    paper="entities",
    label="Figure 1",
    title="From a line of a note to its concepts",
    needs=NEEDS,
    stand_in=STAND_IN,
    options=("umls",),
    calls=("auscult vocab suggest umls vanco",),
    run=run,
    published=tuple(Printed(text, _COLUMN, 1, 0.0, ".0f") for text in _CONCEPTS),
    remark="The figure shows four strings with their concepts; 1 is yes, 0 is no.",
)
