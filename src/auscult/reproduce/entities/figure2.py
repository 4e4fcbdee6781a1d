"""Entities, Figure 2: a compound that is in SNOMED, and one that is not."""

from __future__ import annotations

from auscult.reproduce.contract import Measured, Printed, Reproduction, ReproductionOutcome
from auscult.reproduce.entities.names import NEEDS, STAND_IN, is_name, names
from auscult.reproduce.work import Workspace

_TEXTS = {
    "Severe asthma exacerbation": 1, "Severe COPD exacerbation": 0, "Severe": 1,
    "Asthma exacerbation": 1, "COPD exacerbation": 1,
}  # fmt: skip
_COLUMN = "is the name of a concept"


def run(work: Workspace) -> ReproductionOutcome:
    """Look up each text as it is, with abbreviations expanded."""
    suggester, used = names(work)
    numbers = {
        f"{text} · {_COLUMN}": Measured(
            float(is_name(suggester.suggest(text, limit=1))), used.basis
        )
        for text in _TEXTS
    }
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
    published=tuple(Printed(text, _COLUMN, yes, 0.0, ".0f") for text, yes in _TEXTS.items()),
    remark="1 is yes, 0 is no. A later release of SNOMED CT may contain the missing one.",
)
