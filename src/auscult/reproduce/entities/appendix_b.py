"""Entities, appendix B: accuracy by semantic type."""

from __future__ import annotations

from auscult.reproduce.contract import (
    Basis,
    Measured,
    Reproduction,
    ReproductionOutcome,
    above,
    grid,
)
from auscult.reproduce.entities.concepts import MCN, OURS, STAND_IN, TEAMS, normalized
from auscult.reproduce.work import Workspace

_COLUMNS = ("# of Examples", "Max Accuracy", "Avg Accuracy", "Pooled Accuracy")
_ROWS = {
    "Disease or Syndrome": (713, 88.8, 85.7, 96.2),
    "Finding": (674, 78.8, 75.1, 86.4),
    "Pharmacologic Substance": (667, 93.9, 91.9, 97.2),
    "Laboratory Procedure": (665, 88.7, 85.8, 94.4),
    "Organic Chemical": (624, 95.5, 94.4, 98.1),
    "Therapeutic or Preventive Procedure": (565, 77.5, 72.7, 89.4),
    "Sign or Symptom": (456, 94.3, 92.3, 96.9),
    "Diagnostic Procedure": (411, 90.3, 84.6, 95.4),
    "Qualitative Concept": (311, 94.9, 89.0, 96.8),
    "Health Care Activity": (299, 84.6, 81.6, 89.3),
    "Spatial Concept": (241, 92.5, 89.0, 95.4),
    "Pathologic Function": (228, 89.0, 85.8, 94.7),
    "Body Part, Organ, or Organ Component": (189, 82.0, 65.2, 89.9),
    "Quantitative Concept": (165, 95.8, 92.8, 97.0),
    "Temporal Concept": (122, 85.2, 83.6, 91.8),
    "Medical Device": (108, 78.7, 70.0, 88.0),
    "Antibiotic": (102, 97.1, 95.6, 98.0),
    "Neoplastic Process": (100, 91.0, 84.8, 97.0),
    "Functional Concept": (93, 87.1, 77.0, 88.2),
    "Amino Acid, Peptide, or Protein": (71, 91.5, 86.9, 91.5),
}
_NEARLY_PERFECT = ("Pharmacologic Substance", "Sign or Symptom", "Quantitative Concept")
_WORSE = ("Therapeutic or Preventive Procedure", "Medical Device")
"""The types that section 3.3 names; its third worse one, Body Substance, is not in the table."""


def run(work: Workspace) -> ReproductionOutcome:
    """Accuracies of the types that the notes have enough spans of."""
    found, given, who = normalized(work)
    by = OURS if who is Basis.STAND_IN else None
    numbers: dict[str, Measured] = {}
    for row in _ROWS:
        one = found.types.get(row)
        if one is None:
            continue
        numbers[f"{row} · # of Examples"] = Measured(one.n, given.basis)
        for column, metric in zip(_COLUMNS[1:], (one.max, one.average, one.pooled), strict=True):
            numbers[f"{row} · {column}"] = Measured.of(metric, who, times=100, by=by)
    left = len(_ROWS) - sum(row in found.types for row in _ROWS)
    remarks = () if given.basis is Basis.REAL else (
        f"{left} of the {len(_ROWS)} types have fewer than {found.settings.least} "
        "spans in the notes used here.",
    )  # fmt: skip
    return ReproductionOutcome(numbers, given.used, remarks, seeds=(0,))


REPRODUCTION = Reproduction(
    name="entities-appendix-b",
    paper="entities",
    label="Appendix B",
    title="Entity linking accuracy by semantic type",
    needs=f"{MCN}; {TEAMS}",
    stand_in=STAND_IN,
    options=("mcn", "umls", "mcn-systems", "ncbi"),
    calls=(
        "auscult evaluate entities concepts team-1 team-2 --vocabulary umls --split test --json",
    ),
    run=run,
    published=grid(
        _COLUMNS, _ROWS, within=(10, 0.1, 0.1, 0.1), style=(",.0f", ".1f", ".1f", ".1f")
    ),
    claims=tuple(
        above(
            f"{high} · Max Accuracy", f"{low} · Max Accuracy",
            f"The best system is better at {high} than at {low}.",
        )
        for high in _NEARLY_PERFECT
        for low in _WORSE
    ),
    remark="A concept with several types counts in each of them. The paper writes "
    "“Preventative” where the UMLS has “Preventive”.",
)  # fmt: skip
