"""Entities, Figure 3: the annotation tool that suggests concepts for selected text."""

from __future__ import annotations

from auscult.reproduce.contract import Measured, Reproduction, ReproductionOutcome, at_least
from auscult.reproduce.entities.names import NEEDS, STAND_IN, names
from auscult.reproduce.work import Workspace

_KEY = "cold · concepts suggested"


def run(work: Workspace) -> ReproductionOutcome:
    """Suggest concepts for the string that is selected in the figure."""
    suggester, used = names(work)
    found = suggester.suggest("cold", limit=50)
    shown = "; ".join(f"{one.code.value} {one.name} ({one.why})" for one in found[:5])
    return ReproductionOutcome(
        {_KEY: Measured(len(found), used.basis)}, (used,), (f"The first suggestions: {shown}.",)
    )


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
    claims=(at_least(_KEY, 0, "There are suggestions for ‘cold’, each with a reason."),),
    remark="A picture of the authors' tool; Auscult's is the workbench "
    "(docs/workbench.md), which uses the same function for its suggestions.",
)
