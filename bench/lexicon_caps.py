"""What a cap on the charts that the lexicon mines terms from costs, on simulated charts.

    .venv/bin/python bench/lexicon_caps.py FOLDER [--charts 12000] [--cap 5000]

FOLDER/CHARTS/corpus is made by `bench/mimic_size.py FOLDER --charts CHARTS --steps import,split`.
The lexicon is trained twice: as it is, and with the terms of codes mined from so many charts alone,
evenly spaced, as earlier versions did. That is emulated: `add_cooccurring_terms` is handed these
charts only, without the codes that have evidence on any chart. All else is the same; the candidate
model learns from 4,000 charts with or without the cap. Prints micro-F1 and macro-F1 on the test
charts, in both definitions and over codes in test, and how many codes have terms.
Exits with 1 if macro-F1 is not higher without the cap.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast
from unittest import mock

import numpy as np

import auscult
from auscult.models.lexicon import cooccurrence
from auscult.models.lexicon import scorer as lexicon

METRICS = (
    "micro_f1",
    "macro_f1_as_mean_of_code_f1_over_gold_codes",
    "macro_f1_from_macro_precision_and_recall_over_gold_codes",
)


def capped(cap: int) -> Any:
    """`add_cooccurring_terms`, which sees so many charts."""

    def add(terms: Any, charts: Sequence[Any], golds: Sequence[Any], common: Any) -> None:
        with_evidence = {code for gold in golds for code in gold.extents}
        rows = np.unique((np.arange(cap) * len(charts)) // cap).tolist()
        seen = [
            replace(golds[row], codes=type(golds[row].codes)(set(golds[row].codes) - with_evidence))
            for row in rows
        ]
        cooccurrence.add_cooccurring_terms(terms, [charts[row] for row in rows], seen, common)

    return add


def main() -> int:
    """Train both, evaluate, compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--charts", type=int, default=12_000)
    parser.add_argument("--cap", type=int, default=5_000)
    given = parser.parse_args()
    corpus = auscult.Corpus.open(given.folder / str(given.charts) / "corpus")
    corpus = corpus.select(annotators=["billing"])
    test = corpus.select(splits=["test"])
    found: dict[str, dict[str, float]] = {}
    for name, add in (
        (f"terms from {given.cap:,} charts", capped(given.cap)),
        ("terms from the charts of each code", cooccurrence.add_cooccurring_terms),
    ):
        begin = time.process_time()
        with mock.patch.object(lexicon, "add_cooccurring_terms", add):
            model = auscult.fit(corpus, "lexicon")
        seconds = time.process_time() - begin
        result = auscult.evaluate_codes(test, model, bootstrap=0)
        table = {row["name"]: row["value"] for row in result.to_polars().iter_rows(named=True)}
        found[name] = {one: table[one] for one in METRICS}
        terms = cast(Any, model.architecture)._terms.wordings
        codes = {code for wordings in terms.values() for each in wordings.values() for code in each}
        said = ", ".join(f"{one} {value:.3f}" for one, value in found[name].items())
        print(f"{name}: {said}; {len(codes):,} codes with terms; {seconds:.0f} s", flush=True)
    with_cap, without = (each[METRICS[1]] for each in found.values())
    return int(without <= with_cap)


if __name__ == "__main__":
    sys.exit(main())
