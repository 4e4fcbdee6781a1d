"""Every model and every way of showing evidence on the synthetic hospital, several seeds each.

Makes a hospital, takes the discharge summaries with the codes of bill and coders together (as MDACE
does) and the coders' evidence, trains each model with each seed, and measures codes and evidence on
the test charts. Each finished run is kept in the folder given, so that the work can be interrupted
and taken up again. Prints the table of docs/benchmarks.md and says whether supervised attention
does what the paper says: at least 6 points of token F1 over unsupervised attention, at a code F1 no
more than half a point lower. Exits with 1 when it does not.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from auscult.corpus import Corpus, formats
from auscult.corpus.split import split_by_list
from auscult.evaluate import faithfulness
from auscult.experiment import assess
from auscult.models.model import Model
from auscult.models.training import train
from auscult.synth import hospital

SUPERVISED, UNSUPERVISED = "EffectiveCAN, supervised attention", "EffectiveCAN, attention"
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "lexicon": ("lexicon", {}),
    "linear": ("linear", {}),
    "ensemble": ("ensemble", {}),
    "CAML, attention": ("caml", {"evidence": "attention"}),
    UNSUPERVISED: ("effectivecan", {"evidence": "attention"}),
    SUPERVISED: ("effectivecan", {"evidence": "supervised"}),
    "EffectiveCAN, linear tagger": ("effectivecan", {"evidence": "linear-tagger"}),
    "EffectiveCAN, CNN tagger": ("effectivecan", {"evidence": "cnn-tagger"}),
    "MiniLM, supervised attention": (
        "transformer",
        {
            "evidence": "supervised",
            "head": "plm-icd",
            "learning_rate": 2e-4,
            "epochs": 6,
            "batch_size": 4,
            "freeze_layers": 2,
            "precision": "bf16",
            "inference_precision": "bf16",
        },
    ),
}
MEASURES = {
    "code F1": "code micro-F1",
    "macro F1": "mean code F1 over gold codes",
    "token": "token",
    "span": "span",
    "token_pi": "token p.i.",
    "span_pi": "span p.i.",
    "end to end": "token end to end",
}
FAITHFUL = ("comprehensiveness", "sufficiency")
SYSTEMS = ["ICD-9-CM", "ICD-9-PCS"]
LEAST_GAIN, MOST_LOSS = 0.06, 0.005


def make_corpus(folder: Path, patients: int) -> Corpus:
    """The discharge summaries of a hospital, their codes and evidence as one annotator's."""
    place = folder / "corpus"
    if place.exists():
        return Corpus.open(place)
    source = folder / "hospital"
    if not source.exists():
        print("Making the hospital …", file=sys.stderr)
        hospital.make_hospital(source, patients=patients, seed=0)
    notes = formats.read("mimic3", source / "mimic3", categories=("Discharge summary",))
    evidence = formats.read("mdace", source / "mdace" / "data" / "Inpatient" / "ICD-9")
    merged = notes.merge(evidence).select(categories=["Discharge summary"], systems=SYSTEMS)
    one = merged.lazy_annotations.with_columns(annotator=pl.lit("gold"))
    return split_by_list(
        replace(merged, lazy_all_annotations=one), hospital.split_lists(source)
    ).write(place)


def measure(corpus: Corpus, kind: str, config: dict[str, Any], seed: int, out: Path) -> Any:
    """Train one model, unless that is done, and measure it on the test charts."""
    clock = out.with_name(f"{out.name}.seconds")
    if not (out.exists() and clock.exists()):
        begin = time.perf_counter()
        train(corpus, out, kind, config, seed=seed, dev_split="dev", overwrite=True)
        clock.write_text(str(time.perf_counter() - begin))
    model = Model.load(out)
    found = assess(model, corpus.select(splits=["test"]), times=0)
    codes, evidence = found.codes, found.evidence
    return {
        "code F1": codes.metrics["micro_f1"].value,
        "macro F1": codes.metrics["macro_f1_as_mean_of_code_f1_over_gold_codes"].value,
        **{
            name: evidence.oracle[name].f1.value
            for name in ("token", "span", "token_pi", "span_pi")
        },
        "end to end": evidence.metrics["token"].f1.value,
        "seconds": float(clock.read_text()),
        "threshold": model.decoding.evidence_threshold,
    }


def faithful(corpus: Corpus, place: Path, charts: int) -> dict[str, float | None]:
    """Comprehensiveness and sufficiency of a trained model's evidence on some test charts."""
    model = Model.load(place)
    test = corpus.select(splits=["test"])
    some = test.select(charts=sorted(test.chart_ids())[:charts], annotators=[])
    found = faithfulness(model.scores, some.with_annotations(model.predict(some)).charts(), times=1)
    return {name: getattr(found, name).value for name in FAITHFUL}


def shown(values: list[float]) -> str:
    """Mean ± standard deviation, in points."""
    spread = f" ± {100 * statistics.stdev(values):.1f}" if len(values) > 1 else ""
    return f"{100 * statistics.mean(values):.1f}{spread}"


def main() -> None:
    """Parse, run what is not there yet, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where hospital, models and results are kept")
    parser.add_argument("--patients", type=int, default=1_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="*", help="some of the models, by their names in the table")
    parser.add_argument(
        "--faithful", type=int, metavar="CHARTS", help="measure faithfulness on so many test charts"
    )
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    corpus = make_corpus(given.folder, given.patients)
    names = [name for name in MODELS if given.only is None or name in given.only]
    for seed in range(given.seeds):
        for name in names:
            file = given.folder / f"{name} {seed}.json"
            if not file.exists():
                print(f"{name}, seed {seed} …", file=sys.stderr)
                place = given.folder / f"model {name} {seed}"
                found = measure(corpus, *MODELS[name], seed, place)
                file.write_text(json.dumps(found))
                print(f"  {found}", file=sys.stderr)
            found = json.loads(file.read_text())
            if given.faithful and FAITHFUL[0] not in found:
                place = given.folder / f"model {name} {seed}"
                file.write_text(json.dumps(found | faithful(corpus, place, given.faithful)))
    results = {
        name: [
            json.loads((given.folder / f"{name} {seed}.json").read_text())
            for seed in range(given.seeds)
        ]
        for name in names
    }
    measures = {**MEASURES, **({name: name for name in FAITHFUL} if given.faithful else {})}
    print(f"| model | {' | '.join(measures.values())} | minutes |")
    print(f"| --- |{' ---: |' * (len(measures) + 1)}")
    for name, runs in results.items():
        cells = [shown([run[key] for run in runs]) for key in measures]
        minutes = statistics.mean(run["seconds"] for run in runs) / 60
        print(f"| {name} | {' | '.join(cells)} | {minutes:.1f} |")
    if SUPERVISED in results and UNSUPERVISED in results:
        gain = mean(results, SUPERVISED, "token") - mean(results, UNSUPERVISED, "token")
        loss = mean(results, UNSUPERVISED, "code F1") - mean(results, SUPERVISED, "code F1")
        kept = gain >= LEAST_GAIN and loss <= MOST_LOSS
        print(
            f"\nSupervised attention: token F1 {100 * gain:+.1f}, code F1 {-100 * loss:+.1f} points"
        )
        print("kept" if kept else "MISSED")
        sys.exit(0 if kept else 1)


def mean(results: dict[str, list[dict[str, float]]], name: str, key: str) -> float:
    """The mean of a metric over the seeds."""
    return statistics.mean(run[key] for run in results[name])


if __name__ == "__main__":
    main()
