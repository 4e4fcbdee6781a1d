"""MDACE, Table 2: inter-annotator agreement, before and after review."""

from __future__ import annotations

from auscult.agreement import AgreementUnit, DisagreementCause
from auscult.agreement.adjudication import Decision, QueueItem, make_queue
from auscult.agreement.adjudication.status import status
from auscult.core import Code
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
_AFTER = {"Krippendorff's α, reviewed": "alpha_nominal", "Fleiss' κ, reviewed": "fleiss_kappa"}
_LEFT = 20
"""One in this many disagreements is left unresolved."""


def run(work: Workspace) -> ReproductionOutcome:
    """Compare two pairs of coders on spans, let them review, and compare again."""
    folder = hospital.hospital(work) / "coders"
    annotated = formats.read("jsonl", folder / "annotations.jsonl")
    true: dict[str, set[Code]] = {}
    for one in formats.read("jsonl", folder / "truth.jsonl").iter_annotations():
        true.setdefault(one.chart_id, set()).add(one.code)
    numbers = {}
    for column, coders in _PAIRS.items():
        queue = make_queue(annotated, coders)
        decisions = [
            Decision(item.item_id, _choice(item, true.get(item.chart_id, set())), who, "2024-03-01")
            for at, item in enumerate(queue.items)
            if at % _LEFT
            for who in coders
        ]
        found = status(queue, decisions, unit=AgreementUnit.SPAN, times=work.scale.resamples)
        spans = sum(one.annotator in coders for one in annotated.iter_annotations())
        numbers[f"Annotations · {column}"] = Measured(spans, Basis.STAND_IN)
        for when, rows in (("before", _BEFORE), ("after round 1", _AFTER)):
            for row, name in rows.items():
                metric = found.agreement[when][name]
                numbers[f"{row} · {column}"] = Measured.of(metric, Basis.STAND_IN)
    return ReproductionOutcome(numbers, (hospital.used(work, "coders"),), seeds=(0,))


def _choice(item: QueueItem, true: set[Code]) -> str:
    """The decisions of coders who know the gold standard."""
    if item.cause in (DisagreementCause.ELSEWHERE, DisagreementCause.BOUNDARY):
        return "both"
    for letter, at in (("A", 0), ("B", 1)):
        side = item.side(at)
        if side and {one.code for one in side} <= true:
            return f"accept-{letter}"
    return "neither"


_ALPHA, _KAPPA, _HOOPER = _BEFORE
REPRODUCTION = Reproduction(
    name="mdace-table-2",
    paper="mdace",
    label="Table 2",
    title="Inter-annotator agreement, before and after review",
    needs="the first annotations of two coders on three charts of each practice, which MDACE's "
    "authors have not published",
    stand_in="two pairs of the synthetic hospital's coders, who resolve all but every "
    "twentieth disagreement correctly",
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
            "Krippendorff's α, reviewed · Profee",
            0.9,
            "After review, agreement is strong, whatever it was before.",
        ),
    ),
)
