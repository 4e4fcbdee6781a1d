"""Entities, Figure 3: the tool that suggests concepts for what is marked."""

from __future__ import annotations

from auscult.reproduce.contract import Found, Measured, Reproduction, at_least
from auscult.reproduce.entities.names import NEEDS, STAND_IN, names
from auscult.reproduce.work import Work

_KEY = "cold · concepts suggested"


def run(work: Work) -> Found:
    """Ask for suggestions for the string that is marked in the picture."""
    suggester, used = names(work)
    found = suggester.suggest("cold", limit=50)
    shown = "; ".join(f"{one.code.value} {one.name} ({one.why})" for one in found[:5])
    return Found({_KEY: Measured(len(found), used.basis)}, (used,), (f"The first: {shown}.",))


REPRODUCTION = Reproduction(
    name="entities-figure-3",
    paper="entities",
    label="Figure 3",
    title="An annotation tool with suggestions",
    needs=NEEDS,
    stand_in=STAND_IN,
    options=("umls",),
    calls=("auscult vocab suggest umls cold", "auscult serve workbench"),
    run=run,
    claims=(at_least(_KEY, 1, "Something is suggested for ‘cold’, each with its reason."),),
    remark="A picture of the authors' tool; Auscult's is the workbench (docs/workbench.md), which "
    "asks the same function for its suggestions.",
)
