"""MDACE, Table 8: the splits for codes, for evidence, and for both."""

from __future__ import annotations

from auscult.reproduce.contract import (
    Claim,
    Effect,
    Measured,
    Reproduction,
    ReproductionOutcome,
    grid,
)
from auscult.reproduce.mdace.files import OPEN, PRACTICES, files
from auscult.reproduce.work import Workspace

_COLUMNS = {"train": "Train", "dev": "Dev", "test": "Test"}
_CODES = "Codes (Mullenbach et al.)"


def run(work: Workspace) -> ReproductionOutcome:
    """Count the lists, and remove the evidence charts to obtain the code split."""
    found = files(work)
    numbers = {}
    for practice in PRACTICES:
        evidence, both = (found.lists(practice, kind) for kind in ("ev", "code-ev"))
        for split, column in _COLUMNS.items():
            key = f"{practice} · {column}"
            numbers[f"Evidence, {key}"] = Measured.counted(len(evidence[split]), found.basis)
            numbers[f"Codes and evidence, {key}"] = Measured.counted(len(both[split]), found.basis)
        if practice == "Inpatient":
            moved = {*evidence["train"], *evidence["dev"]}
            code = {split: set(ids) - moved for split, ids in both.items()}
            code["test"] = set(both["test"]) | moved
            for split, column in _COLUMNS.items():
                numbers[f"{_CODES} · {column}"] = Measured.counted(len(code[split]), found.basis)
    return ReproductionOutcome(numbers, (found.used,))


_TRAIN = {
    f"Evidence, Inpatient · {column}": float(split == "train") for split, column in _COLUMNS.items()
}
"""Of each part, whether it is for training: a share between 54% and 66% is about three fifths."""
REPRODUCTION = Reproduction(
    name="mdace-table-8",
    paper="mdace",
    label="Table 8",
    title="Splits for codes and evidence",
    needs=OPEN,
    stand_in="the lists of the synthetic hospital",
    options=("mdace",),
    calls=("auscult corpus import mdace MDACE/data/Inpatient inpatient --splits "
           "MDACE/splits/Inpatient --splitting code-ev",),
    run=run,
    published=grid(
        tuple(_COLUMNS.values()),
        {
            _CODES: (47_719, 1_631, 3_372),
            "Evidence, Inpatient": (181, 60, 61),
            "Evidence, Profee": (31, 10, 11),
            "Codes and evidence, Inpatient": (47_900, 1_691, 3_131),
            "Codes and evidence, Profee": (47_750, 1_641, 3_331),
        },
        style=",.0f",
    ),
    claims=(
        Claim(
            "Three fifths of the charts with evidence are for training.",
            (
                Effect(tuple((key, one - 0.54) for key, one in _TRAIN.items())),
                Effect(tuple((key, 0.66 - one) for key, one in _TRAIN.items())),
            ),
        ),
    ),
)  # fmt: skip
