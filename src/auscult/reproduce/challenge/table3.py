"""The challenge, Table 3: each of three coders compared with their majority."""

from __future__ import annotations

from auscult.agreement import AgreementUnit
from auscult.agreement.reference import against
from auscult.reproduce.challenge.coded import GOLD, OPEN, PEOPLE, STAND_IN, coded, to_read
from auscult.reproduce.commands import auscult
from auscult.reproduce.contract import Measured, Reproduction, ReproductionOutcome, above, grid
from auscult.reproduce.work import Workspace

_COLUMNS = {
    "Cost-sensitive": "cost_sensitive",
    "Micro-averaged F1": "micro_f1",
    "Macro-averaged F1": "macro_f1_from_macro_precision_and_recall_where_defined",
}
_HOSPITAL, _Y, _Z = PEOPLE


def run(work: Workspace) -> ReproductionOutcome:
    """Score each person against the codes that two of the three assigned."""
    there = coded(work)
    scored = against(
        there.voted(), GOLD, there.annotators, unit=AgreementUnit.CHART, times=work.scale.resamples
    )
    numbers = {
        f"{row} · {column}": Measured.of(scored[who][name], there.basis)
        for row, who in zip(PEOPLE, there.annotators, strict=True)
        for column, name in _COLUMNS.items()
    }
    rows = ", ".join(f"{row} is {who}" for row, who in zip(PEOPLE, there.annotators, strict=True))
    voted = auscult(
        "majority", "reports", "voted", "--annotators", ",".join(there.annotators), "--votes", 2,
        "--unit", "chart", "--bootstrap", work.scale.resamples, "--json",
    )  # fmt: skip
    return ReproductionOutcome(
        numbers,
        (there.used,),
        (f"Here {rows}.",),
        seeds=(0,),
        commands=(*to_read(work), voted),
    )


REPRODUCTION = Reproduction(
    name="challenge-table-3",
    paper="challenge",
    label="Table 3",
    title="Each of three coders compared with their majority",
    needs=OPEN,
    stand_in=STAND_IN,
    options=("cmc",),
    calls=(
        "auscult corpus import cmc train.xml reports",
        "auscult majority reports voted --annotators COMPANY1,COMPANY2,COMPANY3 --votes 2",
    ),
    run=run,
    published=grid(
        tuple(_COLUMNS),
        {
            _HOSPITAL: (0.9056, 0.8264, 0.6124),
            _Y: (0.8997, 0.8963, 0.8973),
            _Z: (0.8621, 0.8454, 0.8829),
        },
        style=".4f",
    ),
    claims=(
        above(f"{_HOSPITAL} · Cost-sensitive", f"{_Y} · Cost-sensitive",
              "The hospital outranks company Y by cost-sensitive score…"),
        above(f"{_Y} · Micro-averaged F1", f"{_HOSPITAL} · Micro-averaged F1",
              "…and the reverse is true for micro-averaged F1…"),
        above(f"{_Y} · Macro-averaged F1", f"{_HOSPITAL} · Macro-averaged F1",
              "…and for macro-averaged F1."),
    ),
    remark="The paper does not say which company is which; the order of the scores shows "
        "it. The macro-averaged F1 closest to the paper's is the harmonic mean of mean "
        "precision and mean recall. The paper's numbers are for other documents than "
        "the distributed training part.",
)  # fmt: skip
