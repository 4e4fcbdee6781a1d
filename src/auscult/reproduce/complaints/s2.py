"""The supplement, S2: modified n-gram overlap."""

from __future__ import annotations

import numpy as np

from auscult.evaluate.text import evaluate_synthetic
from auscult.evaluate.text.bleu import bleu, bleu_counts
from auscult.evaluate.text.ngrams import overlap, unique_ngrams
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

_FIRST = (
    "cerebral infarction due to unspecified o lusion or stenosis extremity weakness stroke",
    "altered mental status unspecified cerebral infarction unspecified",
)
_SECOND = ("heat stroke hypertension", "biba came in hospital for evaluation")
_LIKENESS = "Synthetic compared with authentic texts"


def run(work: Workspace) -> ReproductionOutcome:
    """Compute the supplement's examples, and the metrics of generated texts."""
    basis = Basis.PAPER
    one, other = (text.split() for text in _FIRST)
    short, long = (text.split() for text in _SECOND)
    levels = {n: len(_level(one, n) & _level(other, n)) for n in (1, 2, 3, 4)}
    numbers = {
        **{f"First example · {n}-grams in common": Measured(k, basis) for n, k in levels.items()},
        "Second example · largest n": Measured(_largest(short, long), basis),
        "Second example · overlap": Measured(overlap(short, long).sensitivity, basis),
    }
    counts = bleu_counts([_FIRST[0]], [_FIRST[1]])
    numbers["First example · BLEU-4 without smoothing"] = (
        Measured(None, basis, undefined="it needs sacrebleu: pip install 'auscult[text]'")
        if counts is None
        else Measured(float(bleu(np.ones((1, 1)), counts, smooth_method="none")[0]), basis)
    )
    there = visits(work)
    found = evaluate_synthetic(there.corpus, written(work, there), bootstrap=work.scale.resamples)
    for name in ("ngram_sensitivity", "ngram_ppv", "bleu"):
        key = f"{_LIKENESS} · {name.replace('_', ' ')}"
        numbers[key] = Measured.of(found.texts.metrics[name], there.used.basis)
    return ReproductionOutcome(
        numbers, (there.used,), _also(numbers), seeds=(0,), commands=to_evaluate(work, there)
    )


def _also(numbers: dict[str, Measured]) -> tuple[str, ...]:
    """The metrics that the supplement defines without printing a value."""
    shown = [
        f"{key.split(' · ')[1]} {one.value:.3f}"
        for key, one in numbers.items()
        if key.startswith(_LIKENESS) and one.value is not None
    ]
    return (f"On texts generated here: {', '.join(shown)}.",)


def _largest(one: list[str], other: list[str]) -> int:
    """The largest n of the n-grams that the overlap of two texts counts in the first."""
    counted = overlap(one, other).reference
    return next(n for n in range(1, 5) if len(unique_ngrams(one, n)) == counted)


def _level(words: list[str], n: int) -> set[tuple[str, ...]]:
    return {gram for gram in unique_ngrams(words, n) if len(gram) == n}


REPRODUCTION = Reproduction(
    name="complaints-s2",
    paper="complaints",
    label="S2",
    title="Modified n-gram overlap",
    needs=f"nothing for the examples, which the supplement prints; {NEEDS}",
    stand_in=STAND_IN,
    options=("neiss",),
    calls=(
        "auscult generate texts generator visits written --split test",
        "auscult generate evaluate visits written --json",
    ),
    run=run,
    published=(
        Printed("First example", "3-grams in common", 0, 0.0, ".0f"),
        Printed("First example", "4-grams in common", 0, 0.0, ".0f"),
        Printed("First example", "BLEU-4 without smoothing", 0, 0.0, ".1f"),
        Printed("Second example", "largest n", 3, 0.0, ".0f"),
        Printed("Second example", "overlap", 0, 0.0, ".1f"),
    ),
    claims=(
        at_least("First example · 1-grams in common", 0, "The first example shares single words…"),
        at_least("First example · 2-grams in common", 0, "…and pairs of words."),
    ),
    remark="The supplement defines the metric and works through two examples; it prints no"
        " value for its corpus.",
)  # fmt: skip
