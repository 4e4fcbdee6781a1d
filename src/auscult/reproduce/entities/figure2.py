"""Entities, Figure 2: a compound that is in SNOMED, and one that is not."""

from __future__ import annotations

from auscult.reproduce.contract import Measured, Printed, Reproduction, ReproductionOutcome
from auscult.reproduce.entities.names import NEEDS, STAND_IN, is_name, is_suggested, names
from auscult.reproduce.work import Workspace

_WHOLE = {"Severe asthma exacerbation": 1, "Severe COPD exacerbation": 0}
_CONCEPTS = {
    "Severe asthma exacerbation": "C0038218", "Severe": "C0205082",
    "Asthma exacerbation": "C0349790", "COPD exacerbation": "C0340044",
}  # fmt: skip
_NAME, _SUGGESTED = "is the name of a concept", "its concept is among the first ten suggestions"


def run(work: Workspace) -> ReproductionOutcome:
    """Look up both compounds as they are, and suggest concepts for what has one in the figure."""
    suggester, used = names(work)
    numbers = {
        f"{text} · {_NAME}": Measured(float(is_name(suggester.vocabulary, text)), used.basis)
        for text in _WHOLE
    }
    for text, concept in _CONCEPTS.items():
        there = float(is_suggested(suggester, text, concept))
        numbers[f"{text} · {_SUGGESTED}"] = Measured(there, used.basis)
    return ReproductionOutcome(numbers, (used,))


REPRODUCTION = Reproduction(
    name="entities-figure-2",
    paper="entities",
    label="Figure 2",
    title="Compounds that are and are not in the vocabulary",
    needs=NEEDS,
    stand_in=STAND_IN,
    options=("umls",),
    calls=("auscult vocab suggest umls 'severe COPD exacerbation'",),
    run=run,
    published=(
        *(Printed(text, _NAME, yes, 0.0, ".0f") for text, yes in _WHOLE.items()),
        *(Printed(text, _SUGGESTED, 1, 0.0, ".0f") for text in _CONCEPTS),
    ),
    remark="1 means yes, 0 means no. A later release of SNOMED CT may contain the missing one. "
    "The paper prints the first concept with a digit too many (C00038218).",
)
