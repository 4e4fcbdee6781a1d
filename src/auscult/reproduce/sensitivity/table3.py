"""Sensitivity, Table 3: drop in AUROC at another hospital."""

from __future__ import annotations

from collections.abc import Sequence

from auscult.audit.discrimination import Discrimination, of_runs
from auscult.reproduce.contract import (
    Basis,
    Effect,
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
    by,
    cohort,
    discriminations,
    elsewhere,
    to_score,
)
from auscult.reproduce.work import Workspace
from auscult.statistics.repeated_runs import interval_of_runs

_COLUMN = "AUROC drop"


def run(work: Workspace) -> ReproductionOutcome:
    """Score the test notes here and all notes there."""
    here, there = cohort(work), elsewhere(work)
    numbers = {}
    for model, name in NAMES.items():
        numbers[f"{name} · {_COLUMN}"] = _drop(
            discriminations(work, model, here, split="test"),
            discriminations(work, model, there, split=None),
            by(work, model),
        )
    return ReproductionOutcome(
        numbers,
        (here.used, there.used),
        seeds=(*work.scale.trees, *work.scale.bert_seeds),
        commands=to_score(work, elsewhere=True),
    )


def _drop(
    here: Sequence[Discrimination], there: Sequence[Discrimination], by: str | None
) -> Measured:
    """The mean AUROC of the runs here minus there, with an interval from both sets of charts."""
    at_home, abroad = of_runs(here, "auroc"), of_runs(there, "auroc")
    if at_home is None or abroad is None:
        why = "one of the corpora has only one outcome class"
        return Measured(None, Basis.STAND_IN, undefined=why, by=by)
    both = {
        place: Measured(runs.mean, Basis.STAND_IN, interval_of_runs([one.auroc for one in found]))
        for place, runs, found in (("here", at_home, here), ("there", abroad, there))
    }
    edges = Effect((("here", 1.0), ("there", -1.0))).interval(both)
    drop = at_home.mean - abroad.mean
    return Measured(drop, Basis.STAND_IN, edges, n=len(abroad.values), by=by)


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
              "XGBoost loses at another hospital, and more than the language model.", floor=0),
    ),
    remark="Any second hospital other than NYU's is a stand-in. The synthetic one writes "
        "like the first, so little is lost there.",
)  # fmt: skip
