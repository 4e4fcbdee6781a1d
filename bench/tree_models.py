"""What `tfidf-xgboost` costs over many codes: processor time of training and of reading charts.

    .venv/bin/python bench/tree_models.py [--charts 12000] [--codes 60] [--bins 256]
        [--sample 4000]

Simulated charts of MIMIC-III's shape (`bench/mimic_corpus.py`), and so many of their codes, taken
evenly from frequent to rare among those that get trees; 3.4% more charts are dev, on which training
stops early. One thread. From a quarter of the charts and all of them comes the exponent of time in
charts, and from that the time of 8,921 codes on 47,000 charts. The digest of all scores tells
whether two versions predict the same; the AUROC is the mean over the codes that dev has.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.memory import peak_megabytes
from bench.mimic_corpus import CODES, write_tables

from auscult.corpus.corpus import Chart, Corpus
from auscult.corpus.formats import read
from auscult.models.architecture import TrainingData
from auscult.models.chart_scoring import ScoredChart
from auscult.models.examples import codes_of
from auscult.models.fitting import training_examples
from auscult.models.label_space import LabelSpace
from auscult.models.tfidf_xgboost import TfidfXgboost, TfidfXgboostConfiguration

FULL = 47_000
_DEV = 0.034


def charts_of(corpus: Corpus) -> list[Chart]:
    """The charts with their annotations, in order."""
    return list(corpus.charts())


def some_codes(charts: Sequence[Chart], many: int, least: int) -> LabelSpace:
    """So many codes of those on enough charts, evenly from frequent to rare."""
    given = [codes_of(chart.annotations) for chart in charts]
    every = LabelSpace.of(given, minimum=least)
    counts = {code: sum(code in one for one in given) for code in every.codes}
    order = sorted(every.codes, key=lambda code: -counts[code])
    at = np.linspace(0, len(order) - 1, min(many, len(order))).round().astype(int)
    wanted = {order[one] for one in at.tolist()}
    return LabelSpace.of([frozenset(wanted)], minimum=1)


def main() -> int:
    """Train on a quarter and on all, read, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--charts", type=int, default=12_000)
    parser.add_argument("--codes", type=int, default=60)
    parser.add_argument("--bins", type=int, default=256, help="the setting max_bin")
    parser.add_argument("--sample", type=int, default=4_000, help="the setting max_sample")
    given = parser.parse_args()
    config = TfidfXgboostConfiguration(max_bin=given.bins, max_sample=given.sample)
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "made"
        write_tables(folder, round(given.charts * (1 + _DEV)))
        charts = charts_of(read("mimic3", folder / "mimic3"))
    dev = charts[given.charts :]
    seconds = {}
    for many in (given.charts // 4, given.charts):
        labels = some_codes(charts[:many], given.codes, config.min_positives)
        train = training_examples(charts[:many], labels, config)
        held = training_examples(dev, labels, config)
        begin = time.process_time()
        made = TfidfXgboost.fit(TrainingData(train, held, labels), config, seed=0)
        seconds[many] = (time.process_time() - begin) / len(labels)
        begin = time.process_time()
        readings: list[ScoredChart] = list(
            made.read((one.text for one in held), lambda _text, _scores: np.zeros(0, np.int64))
        )
        reading = (time.process_time() - begin) / len(held) / len(labels)
        scores = np.stack([one.scores for one in readings])
        digest = hashlib.sha256(scores.tobytes()).hexdigest()
        has = np.zeros(scores.shape, bool)
        for row, one in enumerate(held):
            has[row, one.codes] = True
        some = np.flatnonzero(has.any(axis=0) & ~has.all(axis=0))
        areas = [roc_auc_score(has[:, code], scores[:, code]) for code in some]
        print(
            f"{many:,} charts, {len(labels)} codes: {seconds[many]:.2f} s a code, "
            f"{reading * 1e6:.1f} µs a chart and code to read, {peak_megabytes():,.0f} MB, "
            f"AUROC {np.mean(areas):.3f}, scores {digest[:12]}",
            flush=True,
        )
    small, large = sorted(seconds)
    slope = math.log(seconds[large] / seconds[small]) / math.log(large / small)
    hours = seconds[large] * (FULL / large) ** slope * CODES / 3600
    print(f"exponent in charts {slope:.2f}; {CODES:,} codes on {FULL:,} charts: {hours:.0f} h")
    return 0


if __name__ == "__main__":
    sys.exit(main())
