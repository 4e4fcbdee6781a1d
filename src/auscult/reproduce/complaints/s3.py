"""The supplement, S3: CIDEr for short texts, and similarity of embeddings."""

from __future__ import annotations

from auscult.evaluate.text import WordVectors, evaluate_synthetic
from auscult.evaluate.text.cider import Rarity, cider
from auscult.evaluate.text.ngrams import overlap
from auscult.reproduce.complaints.visits import NEEDS, STAND_IN, visits, written
from auscult.reproduce.contract import (
    Basis,
    Claim,
    Found,
    Measured,
    Printed,
    Reproduction,
    at_least,
)
from auscult.reproduce.work import Work

_TAUGHT = (
    "overdose on pills", "od on pills", "heroin overdose", "heroin od", "overdose found down",
    "od found down", "chest pain", "chest pain and cough", "cough and fever", "fall from bed",
    "fall with head injury", "head injury",
)  # fmt: skip
"""A few complaints, so that there are words around which both wordings stand."""
_SHORT, _LIKENESS = "‘overdose’ and ‘od’", "Synthetic against authentic texts"
_CIDER, _NEAR = f"{_LIKENESS} · CIDEr", f"{_LIKENESS} · embedding similarity"


def run(work: Work) -> Found:
    """Work out the supplement's example, and both measures of texts that were written."""
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
    found = evaluate_synthetic(there.corpus, written(work, there), times=work.scale.resamples)
    measures = found.texts.measures
    numbers[_CIDER] = Measured.of(measures["cider"], Basis.STAND_IN)
    numbers[_NEAR] = Measured.of(measures["embedding_similarity"], Basis.STAND_IN)
    shown = f"CIDEr {measures['cider']}, {measures['embedding_similarity']}"
    return Found(numbers, (there.used,), (f"Of texts written here: {shown}.",), seeds=(0,))


REPRODUCTION = Reproduction(
    name="complaints-s3",
    paper="complaints",
    label="S3",
    title="CIDEr for short texts, and similarity of embeddings",
    needs=f"nothing for the example, which the supplement prints; {NEEDS}",
    stand_in=STAND_IN,
    options=("neiss",),
    calls=("auscult write evaluate visits written --json",),
    run=run,
    published=(
        Printed(_SHORT, "n-gram overlap", 0, 0.0, ".1f"),
        Printed(_SHORT, "CIDEr", 0, 0.0, ".1f"),
        Printed("Texts of two words", "CIDEr is defined", 1, 0.0, ".0f"),
    ),
    claims=(
        at_least(f"{_SHORT} · embedding similarity", 0.1,
                 "Similarity of embeddings sees that they mean the same."),
        Claim("Over a corpus the embeddings see more likeness than n-grams do.", (_NEAR, _CIDER),
              lambda n: n[_NEAR] > n[_CIDER]),
    ),
    remark="The supplement prints no value for its corpus. The vectors of the example are learnt "
    "from twelve short complaints made up for it.",
)  # fmt: skip
