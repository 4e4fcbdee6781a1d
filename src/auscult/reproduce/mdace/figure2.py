"""MDACE, Figure 2: the two taggers."""

from __future__ import annotations

from auscult.reproduce.contract import Basis, Measured, Printed, Reproduction, ReproductionOutcome
from auscult.reproduce.work import Workspace

_LINEAR, _CNN = "Linear tagger", "CNN tagger"


def run(_work: Workspace) -> ReproductionOutcome:
    """The layer sizes of Auscult's taggers."""
    from auscult.models.neural.evidence import STEPS, CnnTagger

    convolution = CnnTagger(hidden=8, code=8, width=8).convolution
    return ReproductionOutcome(
        {
            f"{_LINEAR} · threshold step": Measured(STEPS["linear-tagger"], Basis.SETTING),
            f"{_CNN} · threshold step": Measured(STEPS["cnn-tagger"], Basis.SETTING),
            f"{_CNN} · kernel": Measured(convolution.kernel_size[0], Basis.SETTING),
            f"{_CNN} · channels": Measured(convolution.out_channels, Basis.SETTING),
        },
        (),
    )


REPRODUCTION = Reproduction(
    name="mdace-figure-2",
    paper="mdace",
    label="Figure 2",
    title="Linear and CNN evidence taggers",
    needs="nothing: a diagram of two networks (section 5.2, equations 2 to 5, appendix D)",
    stand_in="not needed",
    calls=("auscult train charts model --model effectivecan --evidence cnn-tagger",),
    run=run,
    published=(
        Printed(_LINEAR, "threshold step", 0.05, 0.0, ".2f"),
        Printed(_CNN, "threshold step", 0.05, 0.0, ".2f"),
        Printed(_CNN, "kernel", 9, 0.0, ".0f"),
        Printed(_CNN, "channels", 10, 0.0, ".0f"),
    ),
    remark="The diagram has no numbers; the hyperparameters in the text are compared with "
    "those of Auscult's layers (src/auscult/models/neural/evidence.py). λ₂ is not "
    "among them: the paper uses 0.5 without saying what the loss is averaged over; "
    "Auscult averages over evidence words and uses 0.05.",
)
