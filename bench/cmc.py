"""The 2007 challenge's radiology reports: cross-validated micro-F1 of models, and an ablation.

    .venv/bin/python bench/cmc.py [dev.xml] [--seeds 3] [--folds 10] [--ablation]

Folds are drawn anew with each seed; a model sees the others and nothing else. Micro-F1 is over all
reports, as the challenge's scorer has it; intervals resample reports. Exits with 1 when
`radiology` is below 0.88.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.special import expit

from auscult.corpus import formats
from auscult.corpus.corpus import Chart, Corpus
from auscult.models.fitting import fit
from auscult.models.forest import Forest
from auscult.models.radiology import code_sets, radiology_text, rows, scorer
from auscult.models.radiology.concepts import RadiologyConcepts, packaged
from auscult.statistics.bootstrap import Floats, Statistic, intervals, point

WANTED = 0.88
FIRST_SEED = 3
"""Settings were chosen with the folds of seeds 0, 1 and 2."""
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "radiology": ("radiology", {}),
    "linear": ("linear", {}),
    "linear, held to the guidelines": ("policy", {"model": "linear"}),
    "default": ("ensemble", {}),
    "default without the code book": ("ensemble", {"members": ["lexicon", "linear"]}),
}
LESS: dict[str, list[tuple[Any, str, Any]]] = {
    "parts (history, impression)": [
        (radiology_text, "_part", lambda _heading: radiology_text.OTHER)
    ],
    "senses (negated, uncertain…)": [
        (radiology_text, "_hows", lambda text: [radiology_text.AFFIRMED] * len(text)),
        (radiology_text, "_doubt_alternatives", lambda *_given: None),
    ],
    "concepts": [(radiology_text, "packaged", lambda: RadiologyConcepts({}, {}))],
    "ICD's index (which concept is which code)": [
        (rows.ConceptCodeLinks, "of", classmethod(lambda _cls, _labels: _unlinked()))
    ],
    "words": [(scorer, "MODELS", {"concepts": scorer.RadiologyConceptModel})],
    "policy (symptoms explained, codes that exclude each other)": [
        (rows.RadiologyRowMaker, "_explained", lambda _self, _flag, believed: [0 * believed] * 3),
        (rows.RadiologyRowMaker, "_coexists", lambda _self, believed: 0 * believed),
    ],
    "the forest (the mean of the linear models instead)": [
        (Forest, "grow", classmethod(lambda cls, *_given: cls(*[np.zeros(1)] * 6))),
        (Forest, "apply", lambda _self, table: expit(table[:, [0, 2]].mean(axis=1))),
    ],
    "sets": [(code_sets.CodeSetPrior, "marginals", lambda _self, _codes, probability: probability)],
}


def main() -> int:
    """Print the tables; 1 when the report model misses the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "corpus", nargs="?", type=Path, default=Path("../shared/data/cmc2007/dev.xml")
    )
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--first-seed",
        type=int,
        default=FIRST_SEED,
        help="settings were chosen with the folds of 0, 1 and 2",
    )
    parser.add_argument("--model", choices=MODELS, action="append")
    parser.add_argument(
        "--ablation",
        action="store_true",
        help="what each part of `report` gives, with the first seed, instead of the models",
    )
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    corpus = formats.read("cmc", options.corpus).select(annotators=["CMC_MAJORITY"])
    charts = list(corpus.charts())
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    if options.ablation:
        _ablate(charts, seeds[0], options.folds)
        return 0
    print("| model | micro-F1 | 95% | by seed | seconds a fold |")
    print("| --- | ---: | --- | --- | ---: |")
    reached = {
        name: _measured(name, charts, seeds, options.folds) for name in options.model or MODELS
    }
    if "radiology" not in reached:
        return 0
    is_kept = reached["radiology"] >= WANTED
    print(f"\nradiology at {WANTED} or more: {'kept' if is_kept else 'MISSED'}")
    return 0 if is_kept else 1


def _measured(name: str, charts: Sequence[Chart], seeds: Sequence[int], folds: int) -> float:
    """Micro-F1 of a model, after printing it."""
    started = time.process_time()
    by_seed = [cross_validated(charts, *MODELS[name], folds, seed) for seed in seeds]
    seconds = (time.process_time() - started) / len(seeds) / folds
    each = ", ".join(f"{point(f1(one), len(charts))[0]:.3f}" for one in by_seed)
    mean = f1(np.concatenate(by_seed, axis=1))
    print(f"| {name} | {said(mean, len(charts))} | {each} | {seconds:.1f} |", flush=True)
    return float(point(mean, len(charts))[0])


def _ablate(charts: Sequence[Chart], seed: int, folds: int) -> None:
    """Print what is lost without each part, on the same reports and folds."""
    whole = f1(cross_validated(charts, "radiology", {}, folds, seed))
    print("| without | micro-F1 | 95% | gain of the part | 95% |")
    print("| --- | ---: | --- | ---: | --- |")
    print(f"| nothing | {said(whole, len(charts))} | | |", flush=True)
    for name, patches in LESS.items():
        with _patched(patches):
            less = f1(cross_validated(charts, "radiology", {}, folds, seed))
        more = said(gain(whole, less), len(charts))
        print(f"| {name} | {said(less, len(charts))} | {more} |", flush=True)


def said(statistic: Statistic, charts: int) -> str:
    low, high = intervals(statistic, charts)[0]
    return f"{point(statistic, charts)[0]:.4f} | {low:.3f} to {high:.3f}"


def f1(counts: Floats) -> Statistic:
    """Micro-F1 of weighted reports, the mean over the seeds."""

    def statistic(weights: Floats) -> Floats:
        tp, fp, fn = np.moveaxis((weights @ counts).reshape(len(weights), -1, 3), 2, 0)
        found: Floats = (2 * tp / (2 * tp + fp + fn)).mean(axis=1, keepdims=True)
        return found

    return statistic


def gain(whole: Statistic, less: Statistic) -> Statistic:
    return lambda weights: whole(weights) - less(weights)


def cross_validated(
    charts: Sequence[Chart], kind: str, config: Mapping[str, Any], folds: int, seed: int
) -> Floats:
    """(reports, 3) true positives, false positives and misses of each report."""
    counts = np.zeros((len(charts), 3))
    for inside, outside in folds_of(charts, folds, seed):
        counts[outside] = count_fold(charts, inside, outside, kind, config)
    return counts


def folds_of(
    charts: Sequence[Chart], folds: int, seed: int
) -> Iterator[tuple[list[int], list[int]]]:
    """Places of the reports of each fold, as (the others, the fold)."""
    order = np.random.default_rng(seed).permutation(len(charts))
    for number in range(folds):
        outside = order[number::folds].tolist()
        held = set(outside)
        yield [at for at in range(len(charts)) if at not in held], outside


def count_fold(
    charts: Sequence[Chart],
    inside: Sequence[int],
    outside: Sequence[int],
    kind: str,
    config: Mapping[str, Any],
) -> list[tuple[int, int, int]]:
    """Train on some reports; true positives, false positives and misses of each of the others."""
    model = fit(_corpus(charts[at] for at in inside), kind, config, dev_split="none")
    given: dict[str, set[str]] = {}
    notes = [note for at in outside for note in charts[at].notes]
    for one in model.predict(notes, never_empty=True):
        given.setdefault(one.chart_id, set()).add(one.code.value)
    counts = []
    for at in outside:
        gold = {one.code.value for one in charts[at].annotations}
        found = given.get(charts[at].chart_id, set())
        counts.append((len(gold & found), len(found - gold), len(gold - found)))
    return counts


def _corpus(charts: Iterable[Chart]) -> Corpus:
    held = list(charts)
    return Corpus.of(
        (note for chart in held for note in chart.notes),
        (one for chart in held for one in chart.annotations),
    )


def _unlinked() -> rows.ConceptCodeLinks:
    nothing = np.zeros(0, np.int64)
    return rows.ConceptCodeLinks(dict.fromkeys(packaged().codes, nothing), {})


@contextmanager
def _patched(patches: Iterable[tuple[Any, str, Any]]) -> Iterator[None]:
    with ExitStack() as stack:
        for target, name, replacement in patches:
            stack.enter_context(patch.object(target, name, replacement))
        yield


if __name__ == "__main__":
    sys.exit(main())
