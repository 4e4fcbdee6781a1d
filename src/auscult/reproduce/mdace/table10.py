"""MDACE, Table 10: supervised attention on all code-able notes."""

from __future__ import annotations

from auscult.reproduce.contract import Measured, Reproduction, ReproductionOutcome, UsedData, grid
from auscult.reproduce.mdace.files import PRACTICES, charts
from auscult.reproduce.mdace.training import (
    CODEABLE,
    NEEDS,
    STAND_IN,
    averaged,
    by_hand,
    kept_smaller,
    learned,
    longer,
    on_test,
)
from auscult.reproduce.work import Workspace

_MEASURES = {
    "Token": "token", "Exact span": "span", "P.I. token": "token_pi", "P.I. exact span": "span_pi",
}  # fmt: skip
_RATIOS = {"P": "precision", "R": "recall", "F1": "f1"}
_COLUMNS = ("Threshold", *(f"{c} {r}" for c in _MEASURES for r in _RATIOS))


def run(work: Workspace) -> ReproductionOutcome:
    """Train on discharge summaries, physician and radiology notes together, for each practice."""
    numbers = {}
    used: list[UsedData] = []
    commands: list[str] = []
    for practice in PRACTICES:
        annotator = practice.lower()
        whole = charts(work, practice, categories=CODEABLE)
        used += whole.used
        corpus = kept_smaller(work, whole, annotator, CODEABLE)
        settings = {
            "evidence": "supervised", "annotators": ("billing", annotator),
            "max_length": longer(work),
        }  # fmt: skip
        commands += by_hand(work, corpus, "effectivecan", settings, annotator)
        model = learned(work, corpus, "effectivecan", settings, seed=0)
        threshold = model.decoding.evidence_threshold
        numbers[f"{practice} · Threshold"] = Measured(threshold, whole.basis)
        result = on_test(work, model, corpus, annotator)
        for column, name in _MEASURES.items():
            for letter, ratio in _RATIOS.items():
                found = getattr(result.oracle[name], ratio)
                numbers[f"{practice} · {column} {letter}"] = averaged(
                    [found.value], whole.basis, first=found
                )
    return ReproductionOutcome(
        numbers, tuple(dict.fromkeys(used)), seeds=(0,), commands=tuple(commands)
    )


REPRODUCTION = Reproduction(
    name="mdace-table-10",
    paper="mdace",
    label="Table 10",
    title="Supervised attention on all code-able notes",
    needs=NEEDS,
    stand_in=STAND_IN,
    options=("mimic3", "mdace"),
    calls=(
        "auscult train charts codeable --model effectivecan --evidence supervised "
        "--set max_length=5000 --category 'Discharge summary' --category Physician "
        "--category Radiology",
        "auscult evaluate evidence charts predicted --split test --annotator profee --json",
    ),
    run=run,
    published=grid(
        _COLUMNS,
        {
            "Inpatient": (0.06, 37.4, 37.1, 37.2, 18.0, 38.1, 24.5, 69.4, 42.2, 52.5, 34.0, 42.5,
                          37.8),
            "Profee": (0.02, 32.6, 39.4, 36.5, 21.9, 39.3, 28.1, 41.0, 41.9, 41.4, 21.1, 40.4,
                       27.7),
        },
        within=(0.05, *[3.0] * 12),
        style=(".2f", *[".1f"] * 12),
    ),
    remark="One run each, as in the paper, so the tolerance is three points.",
)  # fmt: skip
