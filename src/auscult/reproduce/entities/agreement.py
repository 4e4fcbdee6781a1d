"""Entities, section 5.2: inter-annotator agreement on spans and concepts."""

from __future__ import annotations

from auscult.agreement import AgreementUnit, agree
from auscult.reproduce import hospital
from auscult.reproduce.commands import auscult
from auscult.reproduce.contract import (
    Basis,
    Measured,
    Printed,
    Reproduction,
    ReproductionOutcome,
    UsedData,
    at_least,
    grid,
)
from auscult.reproduce.entities.concepts import both_annotators
from auscult.reproduce.entities.end_to_end import AUTHORS, CONCEPTS, authors
from auscult.reproduce.work import Workspace

_SPANS, _BOTH = "Spans", "Agreement"
_EACH, _EITHER = ("Annotator 1", "Annotator 2"), "in all"
_JACCARD, _SHARED = f"{_BOTH} · Jaccard of spans", f"{_BOTH} · same concept on shared spans, %"


def run(work: Workspace) -> ReproductionOutcome:
    """Compare the spans of two annotators, and the concepts on those that both marked."""
    real = authors(work)
    if real is None:
        corpus, who, basis = both_annotators(work), ("gold", "second"), Basis.STAND_IN
        used: tuple[UsedData, ...] = (hospital.used(work, "concepts", "mimic3"),)
        marks = auscult("corpus", "import", "jsonl", "hospital/concepts", "concepts")
        commands = [hospital.to_make(work), marks]
    else:
        corpus, who, basis, used = real.corpus, AUTHORS, Basis.REAL, real.used
        commands = []
    commands.append(
        auscult(
            "agree", "concepts" if real is None else real.place, "--annotators", ",".join(who),
            "--unit", "span", "--bootstrap", work.scale.resamples, "--json",
        )
    )  # fmt: skip
    found = agree(corpus, who, unit=AgreementUnit.SPAN, times=work.scale.resamples)
    spans = {
        name: {(one.note_id, one.spans) for one in corpus.iter_annotations() if one.annotator == at}
        for name, at in zip(_EACH, who, strict=True)
    }
    spans[_EITHER] = set().union(*spans.values())
    numbers = {
        f"{_SPANS} · {name}": Measured.counted(len(there), basis) for name, there in spans.items()
    }
    jaccard, shared = found.metrics["span_jaccard"], found.metrics["shared_code"]
    numbers[_JACCARD] = Measured.of(jaccard, basis)
    numbers[_SHARED] = Measured.of(shared, basis, times=100)
    return ReproductionOutcome(numbers, used, seeds=(0,), commands=tuple(commands))


REPRODUCTION = Reproduction(
    name="entities-agreement",
    paper="entities",
    label="Section 5.2",
    title="Inter-annotator agreement on concepts",
    needs=CONCEPTS,
    options=("concepts",),
    stand_in="the two annotators of the synthetic hospital's concepts",
    calls=("auscult agree concepts --annotators gold,second --unit span",),
    run=run,
    published=(
        *grid((*_EACH, _EITHER), {_SPANS: (1288, 1435, 1571)}, style=",.0f"),
        Printed(_BOTH, "Jaccard of spans", 0.73, 0.0051, ".2f"),
        Printed(_BOTH, "same concept on shared spans, %", 82.6, 0.051, ".1f"),
    ),
    claims=(
        at_least(_JACCARD, 0.5, "Most of the spans that one of two annotators marks, both do…"),
        at_least(_SHARED, 50, "…and on most of these they agree on a concept."),
    ),
    remark="By the printed counts, 1,152 spans are shared, which gives a Jaccard similarity of "
    "0.733.",
)
