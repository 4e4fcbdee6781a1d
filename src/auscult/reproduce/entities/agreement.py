"""Entities, section 5.2: inter-annotator agreement on spans and concepts."""

from __future__ import annotations

from auscult.agreement import AgreementUnit, agree
from auscult.reproduce import hospital
from auscult.reproduce.contract import (
    Basis,
    Measured,
    Printed,
    Reproduction,
    ReproductionOutcome,
    at_least,
)
from auscult.reproduce.entities.concepts import both_annotators
from auscult.reproduce.work import Workspace

_JACCARD, _SHARED = "Jaccard similarity of spans", "Same concept on shared spans, %"
_AGAIN = "measured"
_EITHER, _FIRST, _SECOND = 1571, 1288, 1435


def run(work: Workspace) -> ReproductionOutcome:
    """From the printed counts, and of two annotators of notes."""
    numbers = {}
    found = agree(
        both_annotators(work),
        ["gold", "second"],
        unit=AgreementUnit.SPAN,
        times=work.scale.resamples,
    )
    basis = Basis.STAND_IN
    numbers[f"{_JACCARD} · {_AGAIN}"] = Measured.of(found.metrics["span_jaccard"], basis)
    concept = Measured.of(found.metrics["shared_code"], basis, times=100)
    numbers[f"{_SHARED} · {_AGAIN}"] = concept
    return ReproductionOutcome(numbers, (hospital.used(work, "concepts", "mimic3"),), seeds=(0,))


REPRODUCTION = Reproduction(
    name="entities-agreement",
    paper="entities",
    label="Section 5.2",
    title="Inter-annotator agreement on concepts",
    needs="the authors' annotations by each annotator (MIMIC-III, credentialed)",
    stand_in="the two annotators of the synthetic hospital's concepts",
    calls=("auscult agree concepts --annotators gold,second --unit span",),
    run=run,
    published=(
        Printed(_JACCARD, _AGAIN, 0.73, 0.01, ".2f"),
        Printed(_SHARED, _AGAIN, 82.6, 0.5, ".1f"),
    ),
    claims=(
        at_least(f"{_JACCARD} · {_AGAIN}", 0.6, "Two annotators mark most spans alike…"),
        at_least(f"{_SHARED} · {_AGAIN}", 75, "…and assign the same concept to most of these."),
    ),
    remark=f"{_FIRST:,} and {_SECOND:,} spans, {_EITHER:,} in all, so that "
    f"{_FIRST + _SECOND - _EITHER:,} are shared.",
)
