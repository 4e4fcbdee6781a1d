"""The supplement, S3: CIDEr for short texts, and embedding similarity."""

from __future__ import annotations

from auscult.evaluate.text import WordVectors, evaluate_synthetic
from auscult.evaluate.text.cider import Rarity, cider
from auscult.evaluate.text.ngrams import overlap
from auscult.reproduce.complaints.visits import NEEDS, STAND_IN, to_evaluate, visits, written
from auscult.reproduce.contract import (
    Basis,
    Measured,
    Printed,
    Reproduction,
    ReproductionOutcome,
    at_least,
)
from auscult.reproduce.work import Workspace

_TAUGHT = (
    "overdose on pills", "od on pills", "heroin overdose", "heroin od", "overdose found down",
    "od found down", "chest pain", "chest pain and cough", "cough and fever", "fall from bed",
    "fall with head injury", "head injury",
)  # fmt: skip
"""A few complaints, so that both wordings share context words."""
_BY = "embeddings of twelve short complaints made up for it"
_SHORT, _LIKENESS = "‘overdose’ and ‘od’", "Synthetic compared with authentic texts"
_CIDER, _NEAR = f"{_LIKENESS} · CIDEr", f"{_LIKENESS} · embedding similarity"


def run(work: Workspace) -> ReproductionOutcome:
    """Compute the supplement's example, and both metrics of generated texts."""
    basis = Basis.PAPER
    one, other = ["overdose"], ["od"]
    taught = [text.split() for text in _TAUGHT]
    rarity = Rarity.of(taught)
    similar = WordVectors.fit(taught, size=6).similarity(one, other)
    numbers = {
        f"{_SHORT} · n-gram overlap": Measured(overlap(one, other).sensitivity, basis),
        f"{_SHORT} · CIDEr": Measured(cider(one, other, rarity), basis),
        f"{_SHORT} · embedding similarity": Measured(similar, Basis.STAND_IN, by=_BY),
    }
    there = visits(work)
    found = evaluate_synthetic(there.corpus, written(work, there), bootstrap=work.scale.resamples)
    metrics = found.texts.metrics
    numbers[_CIDER] = Measured.of(metrics["cider"], there.used.basis)
    numbers[_NEAR] = Measured.of(metrics["embedding_similarity"], there.used.basis)
    shown = f"CIDEr {metrics['cider']}, {metrics['embedding_similarity']}"
    return ReproductionOutcome(
        numbers,
        (there.used,),
        (f"On texts generated here: {shown}.",),
        seeds=(0,),
        commands=to_evaluate(work, there),
    )


REPRODUCTION = Reproduction(
    name="complaints-s3",
    paper="complaints",
    label="S3",
    title="CIDEr for short texts, and embedding similarity",
    needs=f"nothing for the example, which the supplement prints; {NEEDS}",
    stand_in=STAND_IN,
    options=("neiss",),
    calls=("auscult generate evaluate visits written --json",),
    run=run,
    published=(
        Printed(_SHORT, "n-gram overlap", 0, 0.0, ".1f"),
        Printed(_SHORT, "CIDEr", 0, 0.0, ".1f"),
    ),
    claims=(
        at_least(f"{_SHORT} · embedding similarity", 0,
                 "Embedding similarity is above 0 for two words that mean the same and share no "
                 "n-gram."),
        at_least(_NEAR, 0, "It is above 0 for a corpus as a whole."),
    ),
    remark="The supplement prints no value for its corpus.",
)  # fmt: skip
