"""Sensitivity, Table 2: whether clinicians find the words important that move the classifiers."""

from __future__ import annotations

import numpy as np

from auscult.audit.alignment import spearman
from auscult.audit.published import rankings
from auscult.reproduce.contract import Basis, Found, Measured, Printed, Reproduction, above
from auscult.reproduce.sensitivity.cohort import (
    BERT,
    MIMIC,
    NAMES,
    STAND_IN,
    Model,
    audited,
    basis,
    cohort,
)
from auscult.reproduce.work import Work

_COLUMN = "rank correlation"
_PRINTED_RANKS: dict[Model, str] = {"bert": "language", "trees": "tf_idf"}


def run(work: Work) -> Found:
    """From the ranks that Tables 8 and 9 print, and from classifiers that were learnt."""
    listed = rankings()
    manual = listed["manual"].to_numpy().astype(np.float64)
    here = cohort(work)
    numbers = {}
    for model, name in NAMES.items():
        ranks = listed[_PRINTED_RANKS[model]].to_numpy().astype(np.float64)
        key = f"{name}, from Tables 8 and 9 · {_COLUMN}"
        numbers[key] = Measured(spearman(manual, ranks), Basis.PAPER, n=len(listed))
        one_swap, _ = audited(work, model)
        assert one_swap.alignment is not None  # the words are rated
        key = f"{name}, audited · {_COLUMN}"
        numbers[key] = Measured.of(one_swap.alignment.spearman, basis(work, model))
    return Found(numbers, (here.used,), seeds=(0,))


REPRODUCTION = Reproduction(
    name="sensitivity-table-2",
    paper="sensitivity",
    label="Table 2",
    title="Rank correlation with clinicians",
    needs=f"the ranks of Tables 8 and 9 for the printed numbers; {MIMIC} and {BERT} to audit anew",
    stand_in=STAND_IN + "; the ratings are those of the hospital's own clinicians",
    options=("mimic3", "bert"),
    calls=(
        "spearman(rankings()['manual'], rankings()['language'])  # auscult.audit",
        "auscult audit sensitivity bert readmission audit --code outcome readmitted "
        "--reference clinicians.csv --compare trees",
    ),
    run=run,
    published=tuple(
        Printed(f"{name}, {how}", _COLUMN, value, within, ".4f")
        for name, value in (("BioClinicalBERT", 0.5754), ("tf-idf+xgb", 0.1259))
        for how, within in (("from Tables 8 and 9", 0.00015), ("audited", 0.15))
    ),
    claims=(
        above(f"BioClinicalBERT, from Tables 8 and 9 · {_COLUMN}",
              f"tf-idf+xgb, from Tables 8 and 9 · {_COLUMN}",
              "By the printed ranks, the language model is nearer to the clinicians."),
        above(f"BioClinicalBERT, audited · {_COLUMN}", f"tf-idf+xgb, audited · {_COLUMN}",
              "So it is by an audit of classifiers learnt here."),
    ),
    remark="With ties, Spearman's correlation is Pearson's of average ranks; the formula that the "
    "paper prints would give 0.594 and 0.180.",
)  # fmt: skip
