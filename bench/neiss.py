"""Every metric of texts for two generators and two baselines, on NEISS: the table in the docs.

Reads the 8,000 visits, splits them by seed 0 into 6,200 to learn from, 800 to decide when to stop
and 1,000 to test, and learns the generators with their default settings (into --folder, where one
that
is there is not learned again). All defaults were chosen on the 800. Each writes a text for every
test record; the neural ones greedily. Two classifiers (`bigru`) learn the body part from a half of
the training texts each, and a text that one of them knows is judged by the other.

Exits with 1 unless each generator beats both baselines in embedding similarity and in the
classifiers'
F1, and copies no more texts than one half of the training texts does from the other.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

from auscult.corpus import Corpus, formats
from auscult.corpus.split import split_at_random
from auscult.evaluate.text import SyntheticResult, evaluate_synthetic
from auscult.experiment.classifier_gap import Gap, classifier_gap, fit_classifier
from auscult.generators.contract import TextDecoding
from auscult.generators.fitting import train_generator
from auscult.generators.generator import TextGenerator
from auscult.generators.synthetic_corpus import generate
from auscult.report.metric_format import interval, value

SHARES = {"train": 0.775, "dev": 0.1, "test": 0.125}
NEURAL = ("lstm", "transformer")
GENERATORS: dict[str, dict[str, Any]] = {
    "nearest": {},
    "frequent": {"group_by": ("diagnosis", "body_part")},
    "lstm": {"threads": 1},
    "transformer": {"threads": 1},
}
VARIABLE = "body_part"


def learned(corpus: Corpus, folder: Path, kind: str) -> TextGenerator:
    """The generator of a kind, learned now unless it is there."""
    place = folder / kind
    if place.exists():
        return TextGenerator.load(place)
    return train_generator(corpus, place, kind, GENERATORS[kind])


def measure(data: Path, folder: Path, times: int) -> dict[str, tuple[SyntheticResult, Gap]]:
    """Everything about every generator."""
    corpus = split_at_random(formats.read("neiss", data), SHARES, seed=0)
    test = corpus.select(splits=["test"])
    classifier = fit_classifier(corpus, VARIABLE, config={"threads": 1})
    found = {}
    for kind in GENERATORS:
        begin = time.monotonic()
        generator = learned(corpus, folder, kind)
        made = generate(generator, test, TextDecoding(strategy="greedy"))
        texts = evaluate_synthetic(corpus, made, bootstrap=times)
        gap = classifier_gap(
            classifier, texts.records, texts.authentic, texts.synthetic, VARIABLE, times=times
        )
        found[kind] = (texts, gap)
        print(f"{kind}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    return found


def show(found: dict[str, tuple[SyntheticResult, Gap]]) -> None:
    """Print the table."""
    print("| measure | " + " | ".join(found) + " |")
    print("| --- |" + " ---: |" * len(found))

    def row(name: str, metrics: list[Any]) -> None:
        cells = [f"{value(one)} ({interval(one)})" if one.interval else value(one)
                 for one in metrics]  # fmt: skip
        print(f"| {name} | " + " | ".join(cells) + " |")

    results = list(found.values())
    for name in results[0][0].texts.metrics:
        row(name, [texts.texts.metrics[name] for texts, _ in results])
    for name in ("accuracy", "macro_f1"):
        row(f"{VARIABLE} {name}", [gap.synthetic[name] for _, gap in results])
    for name in ("copied", "copied_between_halves", "rare", "nearest_distance",
                 "nearest_distance_held_out"):  # fmt: skip
        row(name, [texts.memorization.metrics[name] for texts, _ in results
                   if texts.memorization])  # fmt: skip
    for name in ("distinct_1", "distinct_2", "vocabulary", "length"):
        row(name, [texts.texts.diversity["synthetic"][name] for texts, _ in results])
    gap = results[0][1]
    print(f"authentic: accuracy {gap.authentic['accuracy']}, macro {gap.authentic['macro_f1']}")
    for kind, (texts, _) in found.items():
        known = [one.is_kept for one in texts.associations if one.is_kept is not None]
        print(f"{kind}: {sum(known)} of {len(known)} odds ratios kept")


def is_kept(found: dict[str, tuple[SyntheticResult, Gap]]) -> bool:
    """Whether the generators are better than the baselines, and copy no more than is usual."""

    def scores(kind: str) -> list[float]:
        texts, gap = found[kind]
        ours = [texts.texts.metrics["embedding_similarity"], gap.synthetic["macro_f1"],
                gap.synthetic["accuracy"]]  # fmt: skip
        return [one.value or 0.0 for one in ours]

    def is_original(kind: str) -> bool:
        memory = found[kind][0].memorization
        assert memory is not None
        usual = memory.metrics["copied_between_halves"].value or 0.0
        return (memory.metrics["copied"].value or 0.0) <= usual

    best = [max(pair) for pair in zip(scores("nearest"), scores("frequent"), strict=True)]
    return all(
        is_original(kind) and all(a > b for a, b in zip(scores(kind), best, strict=True))
        for kind in NEURAL
    )


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/neiss/dev.csv"))
    parser.add_argument("--folder", type=Path, help="Where generators are kept between runs.")
    parser.add_argument("--bootstrap", type=int, default=1000)
    given = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        found = measure(given.data, given.folder or Path(folder), given.bootstrap)
    show(found)
    kept = is_kept(found)
    print("kept" if kept else "MISSED")
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
