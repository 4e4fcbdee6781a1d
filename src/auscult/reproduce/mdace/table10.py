"""MDACE, Table 10: supervised attention on all code-able notes."""

from __future__ import annotations

from auscult.reproduce.contract import (
    Measured,
    Printed,
    Reproduction,
    ReproductionOutcome,
    UsedData,
)
from auscult.reproduce.mdace.files import PRACTICES
from auscult.reproduce.mdace.training import (
    NEEDS,
    STAND_IN,
    averaged,
    by_hand,
    codeable,
    codeable_settings,
    on_test,
    settings_used,
)
from auscult.reproduce.work import Workspace

_MEASURES = {
    "Token": "token", "Exact span": "span", "P.I. token": "token_pi", "P.I. exact span": "span_pi",
}  # fmt: skip
_RATIOS = {"P": "precision", "R": "recall", "F1": "f1"}
_ROWS = ("Threshold", *(f"{c} {r}" for c in _MEASURES for r in _RATIOS))


def run(work: Workspace) -> ReproductionOutcome:
    """Train on discharge summaries, physician and radiology notes together, for each practice."""
    numbers = {}
    used: list[UsedData] = []
    commands: list[str] = []
    for practice in PRACTICES:
        annotator = practice.lower()
        whole, corpus, model = codeable(work, practice)
        used += whole.used
        commands += by_hand(
            work, corpus, "effectivecan", codeable_settings(work, practice), annotator,
            merge_adjacent=True,
        )  # fmt: skip
        threshold = model.decoding.evidence_threshold
        numbers[f"Threshold · {practice}"] = Measured(threshold, whole.basis)
        result = on_test(work, model, corpus, annotator, merge_adjacent=True)
        for measure, name in _MEASURES.items():
            for letter, ratio in _RATIOS.items():
                found = getattr(result.oracle[name], ratio)
                numbers[f"{measure} {letter} · {practice}"] = averaged(
                    [found.value], whole.basis, runs=[found]
                )
    return ReproductionOutcome(
        numbers, tuple(dict.fromkeys(used)), settings_used(work), (0,), commands=tuple(commands)
    )


_PRINTED = {
    "Inpatient": (0.06, 37.4, 37.1, 37.2, 18.0, 38.1, 24.5, 69.4, 42.2, 52.5, 34.0, 42.5, 37.8),
    "Profee": (0.02, 32.6, 39.4, 36.5, 21.9, 39.3, 28.1, 41.0, 41.9, 41.4, 21.1, 40.4, 27.7),
}
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
        "auscult evaluate evidence charts predicted --split test --annotator profee --trim "
        "--merge-adjacent --json",
    ),
    run=run,
    published=tuple(
        Printed(row, practice, value, *((0.05, ".2f") if row == "Threshold" else (3.0, ".1f")))
        for row, *values in zip(_ROWS, *_PRINTED.values(), strict=True)
        for practice, value in zip(_PRINTED, values, strict=True)
    ),
    remark="Each number is from one run, as in the paper, so the tolerance is three points and "
        "the interval is over charts. Evidence is merged and trimmed as in the authors' script. "
        "Billed CPT codes are not in the label space; those that Profee coders annotated are, "
        "since the authors' released predictions contain some.",
)  # fmt: skip
