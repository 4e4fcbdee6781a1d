"""MDACE, Table 2: inter-annotator agreement, before and after review.

Only people can review. A simulated review would agree as often as it is told to, so that there are
no numbers after it.
"""

from __future__ import annotations

from auscult.agreement import AgreementUnit, agree
from auscult.corpus import formats
from auscult.reproduce import hospital
from auscult.reproduce.contract import (
    Basis,
    Measured,
    Reproduction,
    ReproductionOutcome,
    above,
    at_least,
    grid,
    near,
)
from auscult.reproduce.work import Workspace

_PAIRS = {"Inpatient": ("coder_a", "coder_b"), "Profee": ("coder_a", "coder_c")}
"""The third coder of the hospital is inexperienced, as one of the Profee team was."""
_BEFORE = {
    "Krippendorff's α, initial": "alpha_nominal",
    "Fleiss' κ, initial": "fleiss_kappa",
    "Hooper's consistency, initial": "hooper_pooled",
}
_AFTER = ("Krippendorff's α, reviewed", "Fleiss' κ, reviewed")
_NO_REVIEW = "nobody reviewed the annotations of the stand-in"


def run(work: Workspace) -> ReproductionOutcome:
    """Compare two pairs of coders on spans."""
    folder = hospital.hospital(work) / "coders"
    annotated = formats.read("jsonl", folder / "annotations.jsonl")
    numbers = {}
    for column, coders in _PAIRS.items():
        found = agree(annotated, coders, unit=AgreementUnit.SPAN, times=work.scale.resamples)
        spans = sum(one.annotator in coders for one in annotated.iter_annotations())
        numbers[f"Annotations · {column}"] = Measured.counted(spans, Basis.STAND_IN)
        for row, name in _BEFORE.items():
            numbers[f"{row} · {column}"] = Measured.of(found.metrics[name], Basis.STAND_IN)
        for row in _AFTER:
            numbers[f"{row} · {column}"] = Measured(None, Basis.STAND_IN, undefined=_NO_REVIEW)
    return ReproductionOutcome(numbers, (hospital.used(work, "coders"),), seeds=(0,))


_ALPHA, _KAPPA, _HOOPER = _BEFORE
REPRODUCTION = Reproduction(
    name="mdace-table-2",
    paper="mdace",
    label="Table 2",
    title="Inter-annotator agreement, before and after review",
    needs="the first annotations of two coders on three charts of each practice, which MDACE's "
    "authors have not published",
    stand_in="two pairs of the synthetic hospital's coders, before any review",
    calls=(
        "auscult agree coded --annotators coder_a,coder_b --unit span",
        "auscult adjudicate queue coded queue.csv --annotators coder_a,coder_b",
        "auscult adjudicate status coded --annotators coder_a,coder_b --decisions queue.csv "
        "--unit span",
    ),
    run=run,
    published=(
        *grid(tuple(_PAIRS), {"Annotations": (384, 1282)}),
        *grid(
            tuple(_PAIRS),
            {
                _ALPHA: (0.53, 0.24),
                _KAPPA: (0.53, 0.24),
                _HOOPER: (0.65, 0.38),
                "Krippendorff's α, reviewed": (0.97, 0.96),
                "Fleiss' κ, reviewed": (0.97, 0.96),
            },
            within=0.02,
            style=".2f",
        ),
    ),
    claims=(
        above(
            f"{_ALPHA} · Inpatient",
            f"{_ALPHA} · Profee",
            "The team with an inexperienced coder agrees less at first.",
        ),
        near(
            f"{_ALPHA} · Inpatient",
            f"{_KAPPA} · Inpatient",
            0.01,
            "Krippendorff's α and Fleiss' κ are almost equal.",
        ),
        above(
            f"{_HOOPER} · Inpatient",
            f"{_ALPHA} · Inpatient",
            "Hooper's consistency, which is not corrected for chance, is higher than α.",
        ),
        at_least(
            "Krippendorff's α, reviewed · Inpatient",
            0.8,
            "After review, agreement is strong (α above 0.80) for Inpatient coding…",
        ),
        at_least("Krippendorff's α, reviewed · Profee", 0.8, "…and for Profee coding."),
    ),
)
