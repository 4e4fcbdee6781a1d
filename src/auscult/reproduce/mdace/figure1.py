"""MDACE, Figure 1: EffectiveCAN with supervised attention."""

from __future__ import annotations

from auscult.reproduce.contract import Basis, Measured, Printed, Reproduction, ReproductionOutcome
from auscult.reproduce.work import Workspace

_ROW = "Supervised attention"


def run(_work: Workspace) -> ReproductionOutcome:
    """The hyperparameters of Auscult's network."""
    from auscult.models.neural.evidence import STEPS, WEIGHTS

    return ReproductionOutcome(
        {
            f"{_ROW} · λ₁": Measured(WEIGHTS["supervised"], Basis.SETTING),
            f"{_ROW} · threshold step": Measured(STEPS["supervised"], Basis.SETTING),
        },
        (),
    )


REPRODUCTION = Reproduction(
    name="mdace-figure-1",
    paper="mdace",
    label="Figure 1",
    title="EffectiveCAN with supervised attention",
    needs="nothing: a diagram of a network (section 5.2, equation 1, appendix D)",
    stand_in="not needed",
    calls=("auscult train charts model --model effectivecan --evidence supervised",),
    run=run,
    published=(
        Printed(_ROW, "λ₁", 2.5, 0.0, ".1f"),
        Printed(_ROW, "threshold step", 0.02, 0.0, ".2f"),
    ),
    remark="The diagram has no numbers; the hyperparameters in the text are compared with "
    "those of Auscult's network (src/auscult/models/neural/effectivecan.py and "
    "losses.py). The “about 17 million parameters” depend on sizes that the paper "
    "does not print.",
)
