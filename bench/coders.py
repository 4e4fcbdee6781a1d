"""Every coder and every way of showing evidence on the synthetic hospital, several seeds each.

Makes a hospital, takes the discharge summaries with the codes of bill and coders together (as MDACE
does) and the coders' evidence, trains each coder with each seed, and measures codes and evidence on
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

from auscult.coders.coder import Coder
from auscult.coders.runs import train
from auscult.corpus import Corpus, formats
from auscult.corpus.split import split_by_list
from auscult.report.coder_report import assess
from auscult.synth import hospital

SUPERVISED, UNSUPERVISED = "EffectiveCAN, supervised attention", "EffectiveCAN, attention"
CODERS: dict[str, tuple[str, dict[str, Any]]] = {
    "lexicon": ("lexicon", {}),
    "linear": ("linear", {}),
    "ensemble": ("ensemble", {}),
    "CAML, attention": ("caml", {"evidence": "attention"}),
    UNSUPERVISED: ("effectivecan", {"evidence": "attention"}),
    SUPERVISED: ("effectivecan", {"evidence": "supervised"}),
    "EffectiveCAN, linear tagger": ("effectivecan", {"evidence": "linear-tagger"}),
    "EffectiveCAN, CNN tagger": ("effectivecan", {"evidence": "cnn-tagger"}),
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
        hospital.make(source, patients=patients, seed=0)
    notes = formats.read("mimic3", source / "mimic3", categories=("Discharge summary",))
    evidence = formats.read("mdace", source / "mdace" / "data" / "Inpatient" / "ICD-9")
    merged = notes.merge(evidence).select(categories=["Discharge summary"], systems=SYSTEMS)
    one = merged.annotations.with_columns(annotator=pl.lit("gold"))
    return split_by_list(replace(merged, all_annotations=one), hospital.split_lists(source)).write(
        place
    )


def measure(corpus: Corpus, kind: str, config: dict[str, Any], seed: int, out: Path) -> Any:
    """Train one coder, unless that is done, and measure it on the test charts."""
    clock = out.with_name(f"{out.name}.seconds")
    if not (out.exists() and clock.exists()):
        begin = time.perf_counter()
        train(corpus, out, kind, config, seed=seed, dev="dev", overwrite=True)
        clock.write_text(str(time.perf_counter() - begin))
    coder = Coder.load(out)
    found = assess(coder, corpus.select(splits=["test"]), times=0)
    codes, evidence = found.codes, found.evidence
    return {
        "code F1": codes.measures["micro_f1"].value,
        "macro F1": codes.measures["macro_f1_as_mean_of_code_f1_over_gold_codes"].value,
        **{
            name: evidence.oracle[name].f1.value
            for name in ("token", "span", "token_pi", "span_pi")
        },
        "end to end": evidence.measures["token"].f1.value,
        "seconds": float(clock.read_text()),
        "threshold": coder.about.decoding.evidence_threshold,
    }


def shown(values: list[float]) -> str:
    """Mean ± standard deviation, in points."""
    spread = f" ± {100 * statistics.stdev(values):.1f}" if len(values) > 1 else ""
    return f"{100 * statistics.mean(values):.1f}{spread}"


def main() -> None:
    """Parse, run what is not there yet, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where hospital, coders and results are kept")
    parser.add_argument("--patients", type=int, default=1_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="*", help="some of the coders, by their names in the table")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    corpus = make_corpus(given.folder, given.patients)
    names = [name for name in CODERS if given.only is None or name in given.only]
    for seed in range(given.seeds):
        for name in names:
            file = given.folder / f"{name} {seed}.json"
            if not file.exists():
                print(f"{name}, seed {seed} …", file=sys.stderr)
                place = given.folder / f"coder {name} {seed}"
                found = measure(corpus, *CODERS[name], seed, place)
                file.write_text(json.dumps(found))
                print(f"  {found}", file=sys.stderr)
    results = {
        name: [
            json.loads((given.folder / f"{name} {seed}.json").read_text())
            for seed in range(given.seeds)
        ]
        for name in names
    }
    print(f"| coder | {' | '.join(MEASURES.values())} | minutes |")
    print(f"| --- |{' ---: |' * (len(MEASURES) + 1)}")
    for name, runs in results.items():
        cells = [shown([run[key] for run in runs]) for key in MEASURES]
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
    """The mean of a measure over the seeds."""
    return statistics.mean(run[key] for run in results[name])


if __name__ == "__main__":
    main()
