"""Entities, Figure 1: from a line of a note to its concepts."""

from __future__ import annotations

from auscult.reproduce.contract import Found, Measured, Printed, Reproduction
from auscult.reproduce.entities.names import NEEDS, STAND_IN, names
from auscult.reproduce.work import Work

_LINE = "Afeb. On vanco, pip. UO marginal"
_CONCEPTS = {"Afeb": "C0277797", "vanco": "C0042313", "pip": "C0031955", "UO": "C1287928"}
_COLUMN = "its concept is among the first ten suggested"


def run(work: Work) -> Found:
    """Ask for the concepts of each marked string, within its line."""
    suggester, used = names(work)
    numbers = {}
    for text, concept in _CONCEPTS.items():
        found = suggester.suggest(text, note=_LINE, limit=10)
        there = any(one.code.value == concept for one in found)
        numbers[f"{text} · {_COLUMN}"] = Measured(float(there), used.basis, n=len(found))
    return Found(numbers, (used,))


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
    remark="The figure shows four strings and the concept each means; 1 is yes, 0 is no.",
)
