"""MDACE, Figure 2: the two taggers."""

from __future__ import annotations

from auscult.reproduce.contract import Basis, Found, Measured, Printed, Reproduction
from auscult.reproduce.work import Work

_LINEAR, _CNN = "Linear tagger", "CNN tagger"


def run(_work: Work) -> Found:
    """The sizes of the taggers that Auscult builds, read off the layers themselves."""
    from auscult.coders.neural.evidence import STEPS, CnnTagger

    convolution = CnnTagger(hidden=8, code=8, width=8).convolution
    return Found(
        {
            f"{_LINEAR} · step of the threshold": Measured(STEPS["linear-tagger"], Basis.PAPER),
            f"{_CNN} · step of the threshold": Measured(STEPS["cnn-tagger"], Basis.PAPER),
            f"{_CNN} · kernel": Measured(convolution.kernel_size[0], Basis.PAPER),
            f"{_CNN} · channels": Measured(convolution.out_channels, Basis.PAPER),
        },
        (),
    )


REPRODUCTION = Reproduction(
    name="mdace-figure-2",
    paper="mdace",
    label="Figure 2",
    title="Linear and CNN taggers of evidence",
    needs="nothing: a drawing of two networks (section 5.2, equations 2 to 5, appendix D)",
    stand_in="none is needed",
    calls=("auscult train charts coder --coder effectivecan --evidence cnn-tagger",),
    run=run,
    published=(
        Printed(_LINEAR, "step of the threshold", 0.05, 0.0, ".2f"),
        Printed(_CNN, "step of the threshold", 0.05, 0.0, ".2f"),
        Printed(_CNN, "kernel", 9, 0.0, ".0f"),
        Printed(_CNN, "channels", 10, 0.0, ".0f"),
    ),
    remark="A drawing has no numbers; those that go with it are compared with what Auscult's "
    "layers have (src/auscult/coders/neural/evidence.py). λ₂ is not among them: the paper has 0.5 "
    "and leaves open over what its loss is a mean; Auscult's is by word of evidence, with 0.05.",
)
