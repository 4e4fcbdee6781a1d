"""How much quicker an audit is than reading every changed note from the beginning.

    .venv/bin/python bench/sensitivity.py [--charts 60] [--words 20]

Two questions, each answered in this one run on one thread, the contestants taking turns:

- `tfidf-xgboost` against scikit-learn's own count vectorizer and tf-idf over every changed note,
  and against our model reading every changed note; all must give the same probabilities.
- `transformer` (a BERT of four layers) against a plain loop that reads the changed notes in batches
  in the order they come.

Ends with exit code 1 when a ratio that is wanted is missed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from auscult.audit.defaults import usual_filters
from auscult.audit.trials import Occurrences, Trial, propose
from auscult.audit.words_of_interest import WordFinder, frequent_words
from auscult.corpus.corpus import Chart
from auscult.corpus.readmission import READMITTED
from auscult.models.fitting import fit
from auscult.models.model import Model
from auscult.synth.summaries import summaries

WANTED = {"tfidf-xgboost": 8.0, "transformer": 2.0}
_ROUNDS = 3
Floats = npt.NDArray[np.float64]


def trials_of(charts: Sequence[Chart], words: int) -> tuple[Occurrences, list[list[Trial]]]:
    """What an audit of the most frequent words would try, chart by chart."""
    found = Occurrences.of(charts, WordFinder(frequent_words(charts, words)))
    pairs = [(word, chart) for word in found.words for chart in found.places[word]]
    made = propose(found, pairs, usual_filters(found), "first").trials
    by_chart: list[list[Trial]] = [[] for _ in charts]
    for trial in made:
        by_chart[trial.chart].append(trial)
    return found, by_chart


def audited(model: Model, charts: Sequence[Chart], trials: Sequence[Sequence[Trial]]) -> Floats:
    """As the audit does it."""
    scores: list[float] = []
    for chart, mine in zip(charts, trials, strict=True):
        perturbed = [trial.perturbation for trial in mine]
        scores += model.scores_of_edits(chart.notes, perturbed, READMITTED)[1:]
    return np.array(scores)


def read_again(model: Model, charts: Sequence[Chart], trials: Sequence[Sequence[Trial]]) -> Floats:
    """Every changed note read from the beginning by the model, in batches as they come."""
    asked = (
        (trial.perturbation.applied(chart.notes), [READMITTED])
        for chart, mine in zip(charts, trials, strict=True)
        for trial in mine
    )
    return np.array([score for [score] in model.scores(asked)])


def vectorized_again(
    model: Model, charts: Sequence[Chart], trials: Sequence[Sequence[Trial]]
) -> Floats:
    """Every changed note counted by scikit-learn, with the model's words, rarities and trees."""
    from sklearn.feature_extraction.text import CountVectorizer

    scorer: Any = model.architecture
    words = scorer.vocabulary
    counter = CountVectorizer(
        vocabulary={word: at for at, word in enumerate(words.grams)}, token_pattern=r"\w+"
    )
    texts = [
        trial.perturbation.applied(chart.notes)[0].text or ""
        for chart, mine in zip(charts, trials, strict=True)
        for trial in mine
    ]
    table = counter.transform(texts).astype(np.float64) @ sparse.diags(
        words.rarity.astype(np.float64)
    )
    length = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    table = (sparse.diags(1 / length) @ table).tocsr().astype(np.float32)
    table.sort_indices()
    scores: Floats = scorer.trees[0].inplace_predict(table).astype(np.float64)
    return scores


def in_order(model: Model, charts: Sequence[Chart], trials: Sequence[Sequence[Trial]]) -> Floats:
    """A plain loop: the changed notes in batches of the model's size, in the order they come."""
    import torch

    scorer: Any = model.architecture
    texts = [
        model.text(trial.perturbation.applied(chart.notes))
        for chart, mine in zip(charts, trials, strict=True)
        for trial in mine
    ]
    scores: list[float] = []
    with torch.inference_mode():
        for begin in range(0, len(texts), scorer.config.batch_size):
            items = [scorer.item(text) for text in texts[begin : begin + scorer.config.batch_size]]
            batch = scorer.collate(items)
            encoded = scorer.encode(batch, scorer.embed(batch))
            scores += scorer.network.logits(encoded)[:, 0].sigmoid().tolist()
    calibration = model.decoding.calibration
    found = np.array(scores, np.float32)
    return np.array(found if calibration is None else calibration.apply(found), np.float64)


def measure(
    contestants: dict[str, Callable[[], Floats]], rounds: int
) -> tuple[dict[str, float], dict[str, Floats]]:
    """The median processor time of each, taking turns, and what each found."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    found: dict[str, Floats] = {}
    for _ in range(rounds):
        for name, work in contestants.items():
            begin = time.process_time()
            found[name] = work()
            times[name].append(time.process_time() - begin)
    return {name: float(np.median(some)) for name, some in times.items()}, found


def trees(charts: int, words: int) -> bool:
    """tf-idf and boosted trees."""
    corpus = summaries(3 * charts, readmission_effect=4.0)
    model = fit(corpus, "tfidf-xgboost", {"keep_numbers": True})
    some = list(corpus.charts())[:charts]
    _, trials = trials_of(some, words)
    names = ("auscult", "scikit-learn, every note", "auscult, every note")
    times, found = measure(
        {
            names[0]: lambda: audited(model, some, trials),
            names[1]: lambda: vectorized_again(model, some, trials),
        },
        _ROUNDS,
    )
    slow = measure({names[2]: lambda: read_again(model, some, trials)}, 1)
    times, found = {**times, **slow[0]}, {**found, **slow[1]}
    same = {name: bool((found[name] == found[names[0]]).all()) for name in names[1:]}
    count = len(found[names[0]])
    print(f"tfidf-xgboost: {count:,} changed notes of {charts} charts, {words} words")
    for name, seconds in times.items():
        ratio = seconds / times[names[0]]
        print(f"  {name:28} {seconds:8.2f} s  {count / seconds:10,.0f} notes/s  {ratio:6.1f}×")
    print(f"  identical probabilities: {same}")
    ratio = times[names[1]] / times[names[0]]
    return ratio >= WANTED["tfidf-xgboost"] and all(same.values())


def transformer(charts: int, words: int, folder: Path) -> bool:
    """A transformer over chunks."""
    corpus = summaries(24, readmission_effect=4.0)
    encoder = _bert(folder, [note.text or "" for note in corpus.iter_notes()])
    settings = {"encoder": str(encoder), "epochs": 1, "threads": 1, "batch_size": 8,
                "chunk_size": 128,
                "max_length": 1500}  # fmt: skip
    model = fit(corpus, "transformer", settings)
    some = list(corpus.charts())[:charts]
    _, trials = trials_of(some, words)
    names = ("auscult", "plain loop")
    times, found = measure(
        {
            names[0]: lambda: audited(model, some, trials),
            names[1]: lambda: in_order(model, some, trials),
        },
        1,
    )
    count = len(found[names[0]])
    apart = float(np.abs(found[names[0]] - found[names[1]]).max())
    print(f"transformer: {count:,} changed notes of {charts} charts, {words} words")
    for name, seconds in times.items():
        ratio = seconds / times[names[0]]
        print(f"  {name:28} {seconds:8.2f} s  {count / seconds:10,.1f} notes/s  {ratio:6.1f}×")
    print(f"  largest difference of a probability: {apart:.1e}")
    return times[names[1]] / times[names[0]] >= WANTED["transformer"] and apart < 1e-5


def _bert(folder: Path, texts: Sequence[str]) -> Path:
    """A BERT of four layers with weights at random, and pieces learned from the notes."""
    from auscult.models.pretraining.small import SmallMlmConfiguration, train_mlm

    train_mlm(
        texts,
        folder / "bert",
        small=SmallMlmConfiguration(hidden_size=128, num_layers=4, max_seq_length=124, max_steps=1),
    )
    return folder / "bert"


def main() -> int:
    """Run both and say whether what is wanted was reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--charts", type=int, default=60)
    parser.add_argument("--words", type=int, default=20)
    parser.add_argument("--transformer-charts", type=int, default=6)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    reached = [trees(given.charts, given.words)]
    with tempfile.TemporaryDirectory() as folder:
        reached.append(transformer(given.transformer_charts, given.words, Path(folder)))
    for (name, wanted), kept in zip(WANTED.items(), reached, strict=True):
        print(f"{name}: wanted at least {wanted:g}×: {'kept' if kept else 'missed'}")
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
