"""Sensitivity, Table 3: drop in AUROC at another hospital."""

from __future__ import annotations

from auscult.audit.discrimination import of_runs
from auscult.reproduce.contract import (
    Basis,
    Measured,
    Printed,
    Reproduction,
    ReproductionOutcome,
    above,
)
from auscult.reproduce.sensitivity.cohort import (
    BERT,
    MIMIC,
    NAMES,
    STAND_IN,
    cohort,
    discriminations,
    elsewhere,
)
from auscult.reproduce.work import Workspace

_COLUMN = "AUROC drop"


def run(work: Workspace) -> ReproductionOutcome:
    """Score the test notes here and all notes there."""
    here, there = cohort(work), elsewhere(work)
    numbers = {}
    for model, name in NAMES.items():
        at_home = of_runs(discriminations(work, model, here, split="test"), "auroc")
        abroad = of_runs(discriminations(work, model, there, split=None), "auroc")
        numbers[f"{name} · {_COLUMN}"] = (
            Measured(
                None, Basis.STAND_IN, undefined="one of the corpora has only one outcome class"
            )
            if at_home is None or abroad is None
            else Measured(at_home.mean - abroad.mean, Basis.STAND_IN, n=len(abroad.values))
        )
    return ReproductionOutcome(numbers, (here.used, there.used), seeds=(*work.scale.trees,))


REPRODUCTION = Reproduction(
    name="sensitivity-table-3",
    paper="sensitivity",
    label="Table 3",
    title="Drop in AUROC at another hospital",
    needs=f"{MIMIC}, {BERT}, and the readmissions of NYU Langone Health, which are not public",
    stand_in=STAND_IN + "; the other hospital is a synthetic one, or that of --second",
    options=("mimic3", "bert", "second"),
    calls=(
        "auscult audit outcome trees readmission --code outcome readmitted "
        "--external-corpus elsewhere",
    ),
    run=run,
    published=(
        Printed("BioClinicalBERT", _COLUMN, 0.0665, 0.0, ".4f"),
        Printed("tf-idf+xgb", _COLUMN, 0.11, 0.0, ".2f"),
    ),
    claims=(
        above(f"tf-idf+xgb · {_COLUMN}", f"BioClinicalBERT · {_COLUMN}",
              "XGBoost loses more at another hospital than the language model."),
    ),
    remark="Any second hospital other than NYU's is a stand-in. The synthetic one writes "
        "like the first, so little is lost there.",
)  # fmt: skip
