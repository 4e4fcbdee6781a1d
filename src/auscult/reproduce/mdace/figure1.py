"""MDACE, Figure 1: EffectiveCAN with supervised attention."""

from __future__ import annotations

from auscult.reproduce.contract import Basis, Measured, Printed, Reproduction, ReproductionOutcome
from auscult.reproduce.work import PAPER, Workspace

_ROW = "Supervised attention"
_WORDS, _CODES = 51_917, 8_929
"""Mullenbach et al.'s words in three training notes or more, and codes of their full data."""


def run(_work: Workspace) -> ReproductionOutcome:
    """The hyperparameters of Auscult's network."""
    from auscult.models.neural.evidence import STEPS, WEIGHTS

    return ReproductionOutcome(
        {
            f"{_ROW} · parameters, millions": Measured(round(parameters() / 1e6), Basis.SETTING),
            f"{_ROW} · λ₁": Measured(WEIGHTS["supervised"], Basis.SETTING),
            f"{_ROW} · threshold step": Measured(STEPS["supervised"], Basis.SETTING),
        },
        (),
    )


def parameters() -> int:
    """How many weights the network at the paper's scale learns on MIMIC-III."""
    from auscult.models.neural.effectivecan import EffectiveCan, EffectiveCanConfiguration

    settings = {**PAPER.network, **PAPER.networks["effectivecan"]}
    config = EffectiveCanConfiguration(**settings, evidence="supervised")

    def size(words: int, codes: int) -> int:
        network = EffectiveCan.new_network(words, codes, config)
        return sum(each.numel() for each in network.parameters() if each.requires_grad)

    # Every word and every code has as many: no need for a network of all of them.
    least = size(2, 1)
    by_word, by_code = size(3, 1) - least, size(2, 2) - least
    return least + _WORDS * by_word + (_CODES - 1) * by_code


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
        Printed(_ROW, "parameters, millions", 17, 0.0, ".0f"),
    ),
    remark="The diagram has no numbers; the hyperparameters in the text are compared with "
    "those of Auscult's network (src/auscult/models/neural/effectivecan.py and "
    "losses.py). The paper has “about 17 million parameters” and does not print the sizes that "
    "give them. At the paper's scale, Auscult's network has 300 channels, kernels of 9 and keys of "
    "300 dimensions, with the words and codes of Mullenbach et al.'s data; by default it is "
    "smaller.",
)
