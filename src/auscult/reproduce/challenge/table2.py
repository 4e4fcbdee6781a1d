"""The challenge, Table 2: from one year of documents to the task's documents."""

from __future__ import annotations

from dataclasses import replace

from auscult.corpus.combinations import combinations
from auscult.corpus.sampling import SamplingPlan, sample
from auscult.reproduce.challenge.coded import GOLD, OPEN, STAND_IN, coded
from auscult.reproduce.contract import (
    Basis,
    Measured,
    Printed,
    Reproduction,
    ReproductionOutcome,
    at_most,
)
from auscult.reproduce.intervals import of_share
from auscult.reproduce.work import Workspace

_COLLECTED, _SAMPLED = "One-year collection", "20 percent sample"
_INSPECTED, _VOTED = "After manual inspection", "With a majority code"
_LEFT = "Without codes occurring once"
_NO_MAJORITY = "Share without a majority code, %"
_DOCUMENTS = "Documents"


def run(work: Workspace) -> ReproductionOutcome:
    """Take the steps after the coding: a majority, and no codes that occur once."""
    numbers: dict[str, Measured] = {}
    there = coded(work, frequent=True)
    vote = there.vote()
    is_released = there.basis is Basis.OPEN
    voted = there.voted()
    found = sample(voted, SamplingPlan(annotator=GOLD, coded=True, code_minimum=2))
    for key, value in (
        (_INSPECTED, vote.units),
        (_VOTED, vote.units - len(vote.empty)),
        (_LEFT, found.steps[-1].left),
        (_NO_MAJORITY, 100 * len(vote.empty) / vote.units),
    ):
        numbers[f"{key} · {_DOCUMENTS}"] = (
            Measured(None, there.basis, undefined="the excluded documents were not released")
            if is_released
            else Measured.counted(value, there.basis, n=vote.units)
        )
    if not is_released:
        key = f"{_NO_MAJORITY} · {_DOCUMENTS}"
        share = of_share(len(vote.empty), vote.units)
        numbers[key] = replace(numbers[key], interval=share)
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
        Printed("Codes", "released", 45, 0.0, ".0f"),
        Printed("Combinations", "released", 94, 0.0, ".0f"),
    ),
    claims=(
        at_most(
            f"{_NO_MAJORITY} · {_DOCUMENTS}",
            10,
            "Documents without a majority code are rare (below 10%).",
        ),
    ),
    remark="The share is computed from 126 of 2,216 documents. The numbers of codes and of "
    "combinations are from section 4, for both released parts together.",
)
