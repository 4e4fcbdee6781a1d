"""Entities, Figure 2: a compound that SNOMED has, and one that it has not."""

from __future__ import annotations

from auscult.reproduce.contract import Found, Measured, Printed, Reproduction
from auscult.reproduce.entities.names import NEEDS, STAND_IN, is_name, names
from auscult.reproduce.work import Work

_TEXTS = {
    "Severe asthma exacerbation": 1, "Severe COPD exacerbation": 0, "Severe": 1,
    "Asthma exacerbation": 1, "COPD exacerbation": 1,
}  # fmt: skip
_COLUMN = "is the name of a concept"


def run(work: Work) -> Found:
    """Look each text up as it stands, short forms spelt out."""
    suggester, used = names(work)
    numbers = {
        f"{text} · {_COLUMN}": Measured(
            float(is_name(suggester.suggest(text, limit=1))), used.basis
        )
        for text in _TEXTS
    }
    return Found(numbers, (used,))


REPRODUCTION = Reproduction(
    name="entities-figure-2",
    paper="entities",
    label="Figure 2",
    title="Compounds that the vocabulary has and has not",
    needs=NEEDS,
    stand_in=STAND_IN,
    options=("umls",),
    calls=("auscult vocab suggest umls 'severe COPD exacerbation'",),
    run=run,
    published=tuple(Printed(text, _COLUMN, yes, 0.0, ".0f") for text, yes in _TEXTS.items()),
    remark="1 is yes, 0 is no. A later release of SNOMED CT may have what was missing.",
)
