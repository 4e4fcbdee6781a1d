"""The same seed gives the same model, whatever the number of threads of the machine.

Whole models are trained in a process for each number of threads, since libraries read it when they
are imported.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_info, threadpool_limits

from auscult.core import Annotation, Code, Note, Span
from auscult.core.threads import environment, one_blas_thread
from auscult.corpus.corpus import Corpus
from auscult.models.fitting import fit
from auscult.models.lexicon.candidate_model import Regression

MODELS: dict[str, dict[str, Any]] = {"lexicon": {"excerpts": False}, "linear": {"min_df": 1}}
CHARTS = 24
WORDS = 120


def corpus() -> Corpus:
    """Charts of random words, each with two phrases that have a code."""
    dice = random.Random(0)
    words = ["".join(dice.choices("abcdefghilmnoprstu", k=7)) for _ in range(3_000)]
    phrases = {f"A{at:02}": " ".join(dice.sample(words, 2)) for at in range(4)}
    notes, annotations = list[Note](), list[Annotation]()
    for number in range(CHARTS):
        parts = dice.choices(words, k=WORDS)
        for code in dice.sample(sorted(phrases), 2):
            parts.insert(dice.randrange(WORDS), phrases[code])
        text = " ".join(parts)
        notes.append(Note(f"n{number}", f"c{number}", text=text, split="train", read_by=("gold",)))
        for code, phrase in phrases.items():
            begin = text.find(phrase)
            if begin >= 0 and dice.random() < 0.9:  # what is always right is not worth a weight
                spans = (Span(begin, begin + len(phrase)),)
                annotations.append(
                    Annotation("gold", Code("ICD-10-CM", code), f"c{number}", f"n{number}", spans)
                )
    return Corpus.of(notes, annotations)


def scores() -> dict[str, list[float]]:
    """The scores of all codes of the training charts, by each model."""
    made = corpus()
    found = {}
    for name, config in MODELS.items():
        predicted = fit(made, name, config, dev_split="none").predict(
            made.select(annotators=[]), ranked=4
        )
        found[name] = [one.score for one in predicted if one.score is not None]
    return found


def scores_with(threads: int) -> dict[str, list[float]]:
    ran = subprocess.run(
        [sys.executable, __file__], env={**os.environ, **environment(threads)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: dict[str, list[float]] = json.loads(ran.stdout)
    return found


def test_scores_do_not_depend_on_the_number_of_threads() -> None:
    one, two = scores_with(1), scores_with(2)
    assert {name: len(found) > CHARTS for name, found in one.items()} == dict.fromkeys(MODELS, True)
    assert one == two


def test_the_regression_of_candidates_is_exact_on_many_rows() -> None:
    """Sums over many rows are those that BLAS divides among its threads."""
    dice = np.random.default_rng(0)
    table = dice.normal(size=(40_001, 37)).astype(np.float32)
    around = sparse.random_array((len(table), 20_000), density=1e-4, rng=0, format="csr")
    gold = table[:, 0] + dice.normal(size=len(table)) > 0.5
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            regression = Regression.fit(table, sparse.csr_matrix(around), gold)
            found.append((regression.bias, regression.apply(table, sparse.csr_matrix(around))))
    assert found[0][0] == found[1][0]
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_one_blas_thread_ends() -> None:
    def threads() -> set[int]:
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

    with threadpool_limits(2, user_api="blas"):
        with one_blas_thread():
            assert threads() == {1}
        assert threads() == {2}


if __name__ == "__main__":
    print(json.dumps(scores()))
