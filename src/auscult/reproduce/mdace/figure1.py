"""MDACE, Figure 1: EffectiveCAN with supervised attention."""

from __future__ import annotations

from auscult.reproduce.contract import Basis, Found, Measured, Printed, Reproduction
from auscult.reproduce.work import Work

_ROW = "Supervised attention"


def run(_work: Work) -> Found:
    """The settings of the network that Auscult builds, as they stand."""
    from auscult.coders.neural.evidence import STEPS, WEIGHTS

    return Found(
        {
            f"{_ROW} · λ₁": Measured(WEIGHTS["supervised"], Basis.PAPER),
            f"{_ROW} · step of the threshold": Measured(STEPS["supervised"], Basis.PAPER),
        },
        (),
    )


REPRODUCTION = Reproduction(
    name="mdace-figure-1",
    paper="mdace",
    label="Figure 1",
    title="EffectiveCAN with supervised attention",
    needs="nothing: a drawing of a network (section 5.2, equation 1, appendix D)",
    stand_in="none is needed",
    calls=("auscult train charts coder --coder effectivecan --evidence supervised",),
    run=run,
    published=(
        Printed(_ROW, "λ₁", 2.5, 0.0, ".1f"),
        Printed(_ROW, "step of the threshold", 0.02, 0.0, ".2f"),
    ),
    remark="A drawing has no numbers; those that go with it are compared with what Auscult's "
    "network has. Its parts are src/auscult/coders/neural/effectivecan.py and losses.py. The "
    "“about 17 million parameters” depend on sizes that the paper does not print.",
)
