"""The readmission task with a pretrained encoder: discrimination, and sensitivity to words.

    .venv/bin/python bench/readmission.py FOLDER [--patients 600] [--audited 40]

Discharge summaries of a synthetic hospital, split by patient. `MiniLM` is the default encoder,
fine-tuned with the head `sequence` and the paper's recipe (balanced loss, best epoch by the loss
on dev, threshold for a recall of 0.7, not calibrated); `tf-idf + XGBoost` has the settings that
the paper's group published. Five seeds each, the paper's. The first seed's models are audited with
the words that the hospital's clinicians rated; the context filter has a language model of its own,
a small one trained on the training notes, so that no model is asked with its own words.
Everything that is finished is kept in FOLDER. Whatever comes out is printed as it is; there is no
target.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from auscult.audit.discrimination import discrimination
from auscult.audit.filters.context import ContextFilter
from auscult.audit.mlm import MaskedModel
from auscult.audit.ratings import read_ratings
from auscult.audit.run import AuditPlan, audit
from auscult.core import Metric
from auscult.corpus import Corpus, formats
from auscult.corpus.readmission import READMITTED, ReadmissionTask, readmission
from auscult.models.model import Model
from auscult.models.pretraining.small import SmallMlmConfiguration, train_mlm
from auscult.models.training import train
from auscult.synth import hospital

SEEDS = (24, 42, 61, 67, 70)
EFFECT = 4.0
"""Of the conditions on readmission; at 1 no model can exceed an AUROC of 0.80."""
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "MiniLM": (
        "transformer",
        {
            "head": "sequence",
            "class_weight": "balanced",
            "metric_for_best_model": "loss",
            "target_recall": 0.7,
            "calibrate": False,
            "epochs": 4,
            "learning_rate": 1e-4,
            "max_length": 350,
            "precision": "bf16",
            "inference_precision": "bf16",
        },
    ),
    "tf-idf + XGBoost": (
        "tfidf-xgboost",
        {
            "max_depth": 3,
            "learning_rate": 0.04,
            "gamma": 9.0,
            "reg_lambda": 4.5,
            "min_child_weight": 4.0,
            "scale_pos_weight": 16.0,
            "n_estimators": 100,
        },
    ),
}


def cohort(folder: Path, patients: int) -> Corpus:
    """The discharge summaries with their outcome, in splits by patient."""
    place, source = folder / "corpus", folder / "hospital"
    if not place.exists():
        if not source.exists():
            hospital.make_hospital(source, patients=patients, seed=0, readmission_effect=EFFECT)
        notes = formats.read("mimic3", source / "mimic3", categories=("Discharge summary",))
        readmission(notes, ReadmissionTask()).corpus.write(place)
    return Corpus.open(place)


def measured(folder: Path, corpus: Corpus, name: str, seed: int) -> dict[str, float]:
    """AUROC and AUPRC on the test notes, and the seconds of training."""
    kept = folder / f"{name} {seed}.json"
    if not kept.exists():
        kind, config = MODELS[name]
        begin = time.process_time()
        train(corpus, folder / f"model {name} {seed}", kind, config, seed=seed, overwrite=True)
        seconds = time.process_time() - begin
        model = Model.load(folder / f"model {name} {seed}")
        found = discrimination(model, corpus.select(splits=["test"]), READMITTED, times=1)
        kept.write_text(
            json.dumps({"auroc": found.auroc.value, "auprc": found.auprc.value, "seconds": seconds})
        )
        print(f"{name}, seed {seed}: {kept.read_text()}", file=sys.stderr, flush=True)
    read: dict[str, float] = json.loads(kept.read_text())
    return read


def context_filter(folder: Path, corpus: Corpus) -> ContextFilter:
    """Replacements from a language model that neither audited model comes from."""
    place = folder / "language model"
    if not place.exists():
        texts = [one.text for one in corpus.select(splits=["train"]).iter_notes() if one.text]
        train_mlm(texts, place, small=SmallMlmConfiguration(max_steps=600), seed=1)
    return ContextFilter(MaskedModel.load(place), 5)


def shown(metric: Metric) -> str:
    """A metric with its interval."""
    if metric.value is None or metric.interval is None:
        return f"undefined: {metric.undefined}"
    low, high = metric.interval
    return f"{metric.value:.3f} ({low:.3f} to {high:.3f})"


def spread(values: Sequence[float]) -> str:
    return f"{statistics.mean(values):.3f} ± {statistics.stdev(values):.3f}"


def main() -> int:
    """Train, measure and audit what is not there yet; print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path, help="where hospital, models and results are kept")
    parser.add_argument("--patients", type=int, default=600)
    parser.add_argument("--audited", type=int, default=40, help="test notes that are audited")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    given.folder.mkdir(parents=True, exist_ok=True)
    corpus = cohort(given.folder, given.patients)
    sizes = {
        split: len(list(corpus.select(splits=[split]).charts()))
        for split in ("train", "dev", "test")
    }
    print(f"{given.patients:,} patients; notes: {sizes}\n")
    print("| model | AUROC | AUPRC | seconds of training |\n| --- | ---: | ---: | ---: |")
    for name in MODELS:
        runs = [measured(given.folder, corpus, name, seed) for seed in SEEDS]
        cells = [spread([run[key] for run in runs]) for key in ("auroc", "auprc")]
        seconds = statistics.mean(run["seconds"] for run in runs)
        print(f"| {name} | {' | '.join(cells)} | {seconds:.0f} |", flush=True)
    ratings = read_ratings(given.folder / "hospital" / "ratings" / "clinicians.csv")
    charts = list(corpus.select(splits=["test"], annotators=[]).charts())[: given.audited]
    context = context_filter(given.folder, corpus)
    one, other = (given.folder / f"model {name} {SEEDS[0]}" for name in MODELS)
    plan = AuditPlan(READMITTED, tuple(ratings.importance))
    (given.folder / "audit").mkdir(exist_ok=True)
    found = audit(
        one, charts, plan, given.folder / "audit", other=other, ratings=ratings, context=context
    )
    print(f"\nSensitivity to {len(plan.words)} rated words, {len(charts)} notes:\n")
    print("| model | mean effect of a word on the score | Spearman with the ratings |")
    print("| --- | ---: | ---: |")
    for name, part, alignment in zip(
        MODELS, (found.found, found.other), (found.alignment, found.other_alignment), strict=True
    ):
        assert part is not None
        assert alignment is not None
        effect = float(np.nanmean(np.abs(part.scores)))
        print(f"| {name} | {effect:.4f} | {shown(alignment.spearman)} |")
    assert found.difference is not None
    print(f"\nDifference of the correlations: {shown(found.difference)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
