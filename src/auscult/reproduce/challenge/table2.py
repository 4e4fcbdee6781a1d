"""The challenge, Table 2: from one year of documents to the task's documents."""

from __future__ import annotations

from auscult.corpus.combinations import combinations
from auscult.corpus.sampling import SamplingPlan, sample
from auscult.reproduce.challenge.coded import GOLD, OPEN, STAND_IN, coded
from auscult.reproduce.contract import (
    Basis,
    Claim,
    Measured,
    Printed,
    Reproduction,
    ReproductionOutcome,
)
from auscult.reproduce.work import Workspace

_COLLECTED, _SAMPLED = "One-year collection", "20 percent sample"
_INSPECTED, _VOTED = "After manual inspection", "With a majority code"
_LEFT = "Without codes occurring once"
_NO_MAJORITY = "Share without a majority code, %"
_DOCUMENTS = "Documents"


def run(work: Workspace) -> ReproductionOutcome:
    """Compute the table's steps from its own numbers, and run the last one on coded documents."""
    numbers = {
        f"{_SAMPLED} · {_DOCUMENTS}": Measured(round(0.2 * 20_275), Basis.PAPER),
        f"{_INSPECTED} · {_DOCUMENTS}": Measured(4_055 - 1_839, Basis.PAPER),
        f"{_VOTED} · {_DOCUMENTS}": Measured(2_216 - 126, Basis.PAPER),
        f"{_LEFT} · {_DOCUMENTS}": Measured(2_090 - 136, Basis.PAPER),
    }
    there = coded(work, frequent=True)
    vote = there.vote()
    share = 100 * len(vote.empty) / vote.units
    is_released = there.basis is Basis.PART
    numbers[f"{_NO_MAJORITY} · {_DOCUMENTS}"] = (
        Measured(None, there.basis, undefined="documents without a majority were not released")
        if is_released
        else Measured(share, there.basis, n=vote.units)
    )
    voted = there.voted()
    found = sample(voted, SamplingPlan(annotator=GOLD, coded=True, code_minimum=2))
    # What was released has no rare codes any more, but a part of it may.
    released = voted if is_released else found.corpus
    kept = {chart: given for chart, given in combinations(released, GOLD).items() if given}
    codes = {code for given in kept.values() for code in given}
    numbers["Codes · released"] = Measured(len(codes), there.basis, n=len(kept))
    numbers["Combinations · released"] = Measured(len(set(kept.values())), there.basis, n=len(kept))
    steps = "; ".join(f"{one.name}: {one.left:,} left" for one in found.steps)
    return ReproductionOutcome(numbers, (there.used,), (f"The steps here: {steps}.",))


REPRODUCTION = Reproduction(
    name="challenge-table-2",
    paper="challenge",
    label="Table 2",
    title="From one year of documents to the task's documents",
    needs="the year's documents, which are not public; of what became of them, " + OPEN,
    stand_in=STAND_IN,
    options=("cmc",),
    calls=(
        "auscult majority coded voted --annotators a,b,c --votes 2",
        "auscult corpus sample voted clean --annotator majority --exclude-empty --code-minimum 2 "
        "--fraction 0.2 --minimum 100",
        "auscult corpus info clean",
    ),
    run=run,
    published=(
        Printed(_COLLECTED, _DOCUMENTS, 20_275, 0.0, ",.0f"),
        Printed(_SAMPLED, _DOCUMENTS, 4_055, 0.0, ",.0f"),
        Printed(_INSPECTED, _DOCUMENTS, 2_216, 0.0, ",.0f"),
        Printed(_VOTED, _DOCUMENTS, 2_090, 0.0, ",.0f"),
        Printed(_LEFT, _DOCUMENTS, 1_954, 0.0, ",.0f"),
        Printed(_NO_MAJORITY, _DOCUMENTS, 100 * 126 / 2_216, 0.0, ".1f"),
        Printed("Codes", "released", 45, 3.0, ".0f"),
        Printed("Combinations", "released", 94, 15.0, ".0f"),
    ),
    claims=(
        Claim(
            "Few documents have no majority code.",
            (f"{_NO_MAJORITY} · {_DOCUMENTS}",),
            lambda n: n[f"{_NO_MAJORITY} · {_DOCUMENTS}"] < 10,
        ),
    ),
    remark="The rows of the funnel follow from the paper's own numbers of documents removed. Of "
    "the released documents, the numbers of codes and combinations (section 4) depend on the part "
    "that is at hand, so their bands allow for it.",
)
