"""The supplement, S3: CIDEr for short texts, and embedding similarity."""

from __future__ import annotations

from auscult.evaluate.text import WordVectors, evaluate_synthetic
from auscult.evaluate.text.cider import Rarity, cider
from auscult.evaluate.text.ngrams import overlap
from auscult.reproduce.complaints.visits import NEEDS, STAND_IN, visits, written
from auscult.reproduce.contract import (
    Basis,
    Measured,
    Printed,
    Reproduction,
    ReproductionOutcome,
    above,
    at_least,
)
from auscult.reproduce.work import Workspace

_TAUGHT = (
    "overdose on pills", "od on pills", "heroin overdose", "heroin od", "overdose found down",
    "od found down", "chest pain", "chest pain and cough", "cough and fever", "fall from bed",
    "fall with head injury", "head injury",
)  # fmt: skip
"""A few complaints, so that both wordings share context words."""
_SHORT, _LIKENESS = "‘overdose’ and ‘od’", "Synthetic compared with authentic texts"
_CIDER, _NEAR = f"{_LIKENESS} · CIDEr", f"{_LIKENESS} · embedding similarity"


def run(work: Workspace) -> ReproductionOutcome:
    """Compute the supplement's example, and both metrics of generated texts."""
    basis = Basis.PAPER
    one, other = ["overdose"], ["od"]
    taught = [text.split() for text in _TAUGHT]
    rarity = Rarity.of(taught)
    similar = WordVectors.fit(taught, size=6).similarity(one, other)
    two = cider(["overdose", "pills"], ["heroin", "overdose"], rarity)
    numbers = {
        f"{_SHORT} · n-gram overlap": Measured(overlap(one, other).sensitivity, basis),
        f"{_SHORT} · CIDEr": Measured(cider(one, other, rarity) or 0.0, basis),
        f"{_SHORT} · embedding similarity": Measured(similar, basis),
        "Texts of two words · CIDEr is defined": Measured(float(two is not None), basis),
    }
    there = visits(work)
    found = evaluate_synthetic(there.corpus, written(work, there), bootstrap=work.scale.resamples)
    metrics = found.texts.metrics
    numbers[_CIDER] = Measured.of(metrics["cider"], Basis.STAND_IN)
    numbers[_NEAR] = Measured.of(metrics["embedding_similarity"], Basis.STAND_IN)
    shown = f"CIDEr {metrics['cider']}, {metrics['embedding_similarity']}"
    return ReproductionOutcome(
        numbers, (there.used,), (f"On texts generated here: {shown}.",), seeds=(0,)
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
        Printed("Texts of two words", "CIDEr is defined", 1, 0.0, ".0f"),
    ),
    claims=(
        at_least(f"{_SHORT} · embedding similarity", 0.1,
                 "Embedding similarity captures that they mean the same."),
        above(_NEAR, _CIDER, "Over a corpus, embedding similarity is higher than CIDEr."),
    ),
    remark="The supplement prints no value for its corpus. The word embeddings of the "
        "example are trained on twelve short complaints made up for it.",
)  # fmt: skip
