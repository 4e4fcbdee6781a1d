"""The 2007 challenge's radiology reports: cross-validated micro-F1 of coders, and an ablation.

    .venv/bin/python bench/cmc.py [../shared/data/cmc2007/dev.xml] [--seeds 3] [--ablation]

Ten folds, drawn anew with each seed; a coder sees the other nine and nothing else. Micro-F1 is over
all reports, as the challenge's scorer has it; the interval resamples reports. Exits with 1 when
`report` is below 0.88.
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

from auscult.coders.fitting import fit
from auscult.coders.report import prepared, rows, scorer, sets
from auscult.coders.report.concepts import Concepts, packaged
from auscult.corpus import formats
from auscult.corpus.corpus import Chart, Corpus
from auscult.statistics.bootstrap import Floats, intervals

WANTED = 0.88
FOLDS = 10
CODERS: dict[str, tuple[str, dict[str, Any]]] = {
    "report": ("report", {}),
    "linear": ("linear", {}),
    "linear, held to the guidelines": ("policy", {"coder": "linear"}),
}
LESS: dict[str, list[tuple[Any, str, Any]]] = {
    "without parts (history, impression)": [(prepared, "_part", lambda _heading: prepared.OTHER)],
    "without senses (negated, uncertain…)": [
        (prepared, "_hows", lambda text: [prepared.AFFIRMED] * len(text)),
        (prepared, "_doubt_alternatives", lambda *_given: None),
    ],
    "without concepts": [(prepared, "packaged", lambda: Concepts({}, {}))],
    "without ICD's index (which concept is which code)": [
        (rows.Links, "of", classmethod(lambda _cls, _labels: _unlinked()))
    ],
    "without words": [(scorer, "MODELS", {"concepts": scorer.ConceptModel})],
    "without policy (symptoms explained, codes that exclude each other)": [
        (rows.RowMaker, "_explained", lambda _self, _flag, believed: [0 * believed] * 3),
        (rows.RowMaker, "_coexists", lambda _self, believed: 0 * believed),
    ],
    "without sets": [(sets.Sets, "marginals", lambda _self, _codes, probability: probability)],
}


def main() -> int:
    """Print the table; 1 when the report coder misses the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "corpus", nargs="?", type=Path, default=Path("../shared/data/cmc2007/dev.xml")
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--coder", choices=CODERS, action="append")
    parser.add_argument("--ablation", action="store_true", help="what each part of `report` gives")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    corpus = formats.read("cmc", options.corpus).select(annotators=["CMC_MAJORITY"])
    charts = list(corpus.charts())
    print("| coder | micro-F1 | 95% interval | by seed | seconds a fold |")
    print("| --- | ---: | ---: | ---: | ---: |")
    reached = None
    for name in options.coder or CODERS:
        kind, config = CODERS[name]
        found = _measure(name, charts, kind, config, options.seeds)
        reached = found if name == "report" else reached
    for name, patches in LESS.items() if options.ablation else ():
        with _patched(patches):
            _measure(f"report {name}", charts, "report", {}, options.seeds)
    if reached is None:
        return 0
    print(f"\nreport at {WANTED} or more: {'kept' if reached >= WANTED else 'MISSED'}")
    return 0 if reached >= WANTED else 1


def _measure(
    name: str, charts: Sequence[Chart], kind: str, config: Mapping[str, Any], seeds: int
) -> float:
    started = time.process_time()
    by_seed = [cross_validated(charts, kind, config, seed) for seed in range(seeds)]
    seconds = (time.process_time() - started) / seeds / FOLDS
    counts = np.concatenate(by_seed, axis=1)  # (reports, 3 × seeds)

    def mean_f1(weights: Floats) -> Floats:
        tp, fp, fn = np.moveaxis((weights @ counts).reshape(len(weights), seeds, 3), 2, 0)
        found: Floats = (2 * tp / (2 * tp + fp + fn)).mean(axis=1, keepdims=True)
        return found

    value = float(mean_f1(np.ones((1, len(charts))))[0, 0])
    low, high = intervals(mean_f1, len(charts))[0]
    each = ", ".join(f"{2 * t / (2 * t + p + n):.3f}" for t, p, n in (c.sum(0) for c in by_seed))
    print(f"| {name} | {value:.4f} | {low:.3f}–{high:.3f} | {each} | {seconds:.1f} |", flush=True)
    return value


def cross_validated(
    charts: Sequence[Chart], kind: str, config: Mapping[str, Any], seed: int
) -> Floats:
    """(reports, 3) true positives, false positives and misses of each report."""
    order = np.random.default_rng(seed).permutation(len(charts))
    counts = np.zeros((len(charts), 3))
    for number in range(FOLDS):
        outside = order[number::FOLDS].tolist()
        held = set(outside)
        inside = [chart for at, chart in enumerate(charts) if at not in held]
        coder = fit(_corpus(inside), kind, config, dev="none")
        said: dict[str, set[str]] = {}
        notes = [note for at in outside for note in charts[at].notes]
        for one in coder.code(notes, never_empty=True):
            said.setdefault(one.chart_id, set()).add(one.code.value)
        for at in outside:
            gold = {one.code.value for one in charts[at].annotations}
            found = said.get(charts[at].chart_id, set())
            counts[at] = len(gold & found), len(found - gold), len(gold - found)
    return counts


def _corpus(charts: Iterable[Chart]) -> Corpus:
    held = list(charts)
    return Corpus.of(
        (note for chart in held for note in chart.notes),
        (one for chart in held for one in chart.annotations),
    )


def _unlinked() -> rows.Links:
    nothing = np.zeros(0, np.int64)
    return rows.Links(dict.fromkeys(packaged().codes, nothing), {})


@contextmanager
def _patched(patches: Iterable[tuple[Any, str, Any]]) -> Iterator[None]:
    with ExitStack() as stack:
        for target, name, replacement in patches:
            stack.enter_context(patch.object(target, name, replacement))
        yield


if __name__ == "__main__":
    sys.exit(main())
