"""Sensitivity, Table 1: AUROC and AUPRC of two readmission classifiers."""

from __future__ import annotations

from auscult.audit.discrimination import of_runs
from auscult.reproduce.contract import (
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
    basis,
    by,
    cohort,
    discriminations,
    to_score,
)
from auscult.reproduce.work import Workspace
from auscult.statistics.repeated_runs import interval_of_runs

_COLUMNS = {"AUROC": "auroc", "AUPRC": "auprc"}


def run(work: Workspace) -> ReproductionOutcome:
    """Train both with several seeds, and score the test notes."""
    here = cohort(work)
    share = 100 * here.positive / here.notes
    numbers = {
        "Notes · all": Measured(here.notes, here.used.basis),
        "Readmitted, % · all": Measured.counted(share, here.used.basis, n=here.notes),
    }
    for model, row in NAMES.items():
        found = discriminations(work, model, here, split="test")
        for column, name in _COLUMNS.items():
            runs, every = of_runs(found, name), [getattr(one, name) for one in found]
            numbers[f"{row} · {column}"] = (
                Measured.of(every[0], basis(work, model), by=by(work, model))
                if runs is None
                else Measured(
                    runs.mean,
                    basis(work, model),
                    interval_of_runs(every),
                    runs.deviation,
                    len(runs.values),
                    by=by(work, model),
                )
            )
    seeds = (*work.scale.trees, *work.scale.bert_seeds)
    return ReproductionOutcome(numbers, (here.used,), seeds=seeds, commands=to_score(work))


REPRODUCTION = Reproduction(
    name="sensitivity-table-1",
    paper="sensitivity",
    label="Table 1",
    title="AUROC and AUPRC of two readmission classifiers",
    needs=f"{MIMIC} and {BERT}",
    stand_in=STAND_IN,
    options=("mimic3", "bert"),
    calls=(
        "auscult task readmission MIMIC-III readmission --by note",
        "auscult train readmission trees --model tfidf-xgboost --runs 5",
        "auscult train readmission bert --model transformer --set encoder=Bio_ClinicalBERT "
        "--set head=sequence --set class_weight=balanced --set metric_for_best_model=loss "
        "--set target_recall=0.7 --set calibrate=false --runs 5",
        "auscult audit outcome trees readmission --code outcome readmitted",
    ),
    run=run,
    published=(
        Printed("Notes", "all", 52_725, 500.0, ",.0f"),
        Printed("Readmitted, %", "all", 6, 0.5, ".0f"),
        Printed("BioClinicalBERT", "AUROC", 0.6995, 0.02, ".4f", 0.0036),
        Printed("BioClinicalBERT", "AUPRC", 0.1224, 0.02, ".4f", 0.0065),
        Printed("tf-idf+xgb", "AUROC", 0.7150, 0.02, ".4f", 0.0013),
        Printed("tf-idf+xgb", "AUPRC", 0.1340, 0.02, ".4f", 0.0020),
    ),
    claims=(
        above("tf-idf+xgb · AUROC", "BioClinicalBERT · AUROC",
              "XGBoost on tf-idf has a slightly better AUROC than the language model…"),
        above("tf-idf+xgb · AUPRC", "BioClinicalBERT · AUPRC", "…and a slightly better AUPRC."),
    ),
    remark="Notes are split as in the paper, so that one patient's notes can be both in train "
    "and in test. The paper does not name the five seeds of the language model. The interval is "
    "over charts: the mean of the runs' own intervals.",
)  # fmt: skip
