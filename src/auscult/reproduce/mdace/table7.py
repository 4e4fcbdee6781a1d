"""MDACE, Table 7: learning curve of supervised attention by charts with evidence."""

from __future__ import annotations

from auscult.models.training import tuned
from auscult.reproduce.contract import (
    Claim,
    Effect,
    Reproduction,
    ReproductionOutcome,
    above,
    grid,
)
from auscult.reproduce.mdace.training import (
    NEEDS,
    STAND_IN,
    averaged,
    dealt_again,
    learned,
    settings_used,
    summaries,
)
from auscult.reproduce.work import Workspace

_SHARES = {
    0.0: "0", 0.125: "30 (12.5%)", 0.25: "60 (25%)", 0.5: "121 (50%)", 0.75: "181 (75%)",
    1.0: "242 (100%)",
}  # fmt: skip
_WEIGHT = 0.5
"""λ₁ of this table (appendix D)."""


def run(work: Workspace) -> ReproductionOutcome:
    """Train with each share of the evidence and several seeds, and evaluate on dev, as the paper
    does.
    """
    whole, corpus = summaries(work)
    dealt = dealt_again(work, whole, corpus)
    seeds = tuple(range(work.scale.runs))
    numbers = {}
    for share, row in _SHARES.items():
        settings = {
            "evidence": "supervised", "evidence_weight": _WEIGHT, "evidence_fraction": share,
            "annotators": ("billing", "inpatient"),
        }  # fmt: skip
        models = [learned(work, dealt, "effectivecan", settings, seed=seed) for seed in seeds]
        for column, what in (("Code-F1", "codes"), ("Token-F1", "evidence")):
            counts = [tuned(model, what) for model in models]
            numbers[f"{row} · {column}"] = averaged(
                [None if one is None else one.f1 for one in counts],
                whole.basis,
                why="no chart of dev has evidence",
            )
    return ReproductionOutcome(numbers, whole.used, settings_used(work), seeds)


_NONE, _ALL = _SHARES[0.0], _SHARES[1.0]
REPRODUCTION = Reproduction(
    name="mdace-table-7",
    paper="mdace",
    label="Table 7",
    title="Learning curve of supervised attention by charts with evidence, on dev",
    needs=NEEDS + "; the splits of this table were not published, so the charts are split anew, "
        "80/10/10",
    stand_in=STAND_IN,
    options=("mimic3", "mdace"),
    calls=(
        "auscult train charts curve --model effectivecan --evidence supervised "
        "--set evidence_weight=0.5 --evidence-fractions 0,0.125,0.25,0.5,0.75,1",
    ),
    run=run,
    published=grid(
        ("Code-F1", "Token-F1"),
        {
            "0": (58.3, 32.0), "30 (12.5%)": (58.1, 32.3), "60 (25%)": (57.7, 32.8),
            "121 (50%)": (58.2, 33.2), "181 (75%)": (58.1, 36.2), "242 (100%)": (58.1, 36.8),
        },
        within=(2.0, 3.0),
        style=".1f",
    ),
    remark="± is the standard deviation over seeds; the interval is that of the mean over seeds. "
        "The paper does not say how many runs its numbers come from.",
    claims=(
        above(f"{_ALL} · Token-F1", f"{_NONE} · Token-F1",
              "Training with all of the evidence improves token F1 over training with none."),
        Claim(
            "Supervised attention costs at most a few points of code F1.",
            (Effect(((f"{_ALL} · Code-F1", 1.0), (f"{_NONE} · Code-F1", -1.0)), -5.0),),
        ),
    ),
)  # fmt: skip
