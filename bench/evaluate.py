"""Whether evaluating evidence grows as the spans do: `python bench/evaluate.py`.

Makes gold and predicted evidence of 2,500, 5,000 and 10,000 charts (13 gold spans and about as
many predicted ones in a note of 8,000 characters each), and evaluates each in a fresh process on
one core: the four metrics with all that belongs to them, then the intervals from 1,000 resamples.
Time is of the processor, memory is the peak above what the imports take. Kept when four times the
charts take at most five times as long and five times as much memory.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.memory import peak_megabytes

SIZES = (2_500, 5_000, 10_000)
SPANS, LENGTH, CODES = 13, 8_000, 1_000
ALLOWED = 5.0


def make(folder: Path, charts: int) -> None:
    """Write the two corpora."""
    from auscult.core import Annotation, Code, Note, Span
    from auscult.corpus import Corpus

    dice = random.Random(charts)
    words = ["".join(dice.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(5_000)]
    gold: list[Annotation] = []
    predicted: list[Annotation] = []

    def notes() -> Iterator[Note]:
        for at in range(charts):
            text = " ".join(dice.choices(words, k=LENGTH // 8))
            note = Note(f"note{at}", f"chart{at}", category="Discharge summary", text=text)
            for _ in range(SPANS):
                begin = 8 * dice.randrange(LENGTH // 8 - 4)
                code = Code("ICD-10-CM", f"{dice.randrange(CODES):05}")
                spot = Span(begin, begin + 8 * dice.choice((1, 2, 2, 3)) - 1)
                gold.append(Annotation("gold", code, note.chart_id, note.note_id, (spot,)))
                chance = dice.random()
                if chance < 0.4:
                    predicted.append(Annotation("model", code, *_on(note), (spot,)))
                elif chance < 0.9:
                    half = Span(spot.begin, spot.begin + 7)
                    predicted.append(Annotation("model", code, *_on(note), (half,)))
                else:
                    wrong = Code("ICD-10-CM", f"{dice.randrange(CODES):05}")
                    predicted.append(Annotation("model", wrong, *_on(note), (spot,)))
            yield note

    def _on(note: Note) -> tuple[str, str]:
        return note.chart_id, note.note_id

    whole = Corpus.of(notes(), ())
    whole.with_annotations(gold).write(folder / "gold")
    whole.with_annotations(predicted).write(folder / "predicted")


def run(folder: Path) -> None:
    """Evaluate in this process and print what it took."""
    from auscult.corpus import Corpus
    from auscult.evaluate import evidence_metrics, pair
    from auscult.evaluate.evidence import WAYS
    from auscult.evaluate.matching import metric_counts

    gold, predicted = Corpus.open(folder / "gold"), Corpus.open(folder / "predicted")
    before = peak_megabytes()
    begun = time.process_time()
    found = evidence_metrics(pair(gold, predicted), trim=True, times=0)
    measured = time.process_time() - begun
    names = {way.name: way.definition for way in WAYS}
    tables = {name: found.metrics[name].per_chart for name in names}
    begun = time.process_time()
    metric_counts(tables, names, times=1000, seed=0)
    print(
        json.dumps(
            {
                "spans": found.gold_spans + found.predicted_spans,
                "seconds": measured,
                "bootstrap": time.process_time() - begun,
                "megabytes": peak_megabytes() - before,
                "token_f1": found.metrics["token"].f1.value,
            }
        )
    )


def main() -> int:
    """Measure every size and print the table and the verdict; 1 when it is too much."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--make", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        make(options.run, options.make)
        return 0
    if options.run:
        run(options.run)
        return 0
    environment = {**os.environ, "POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}
    results = []
    print("| charts | spans | measures | per span | memory | 1,000 resamples |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for charts in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, __file__, "--run", folder]
            subprocess.run([*command, "--make", str(charts)], check=True, env=environment)
            done = subprocess.run(command, check=True, env=environment, capture_output=True)
        found = json.loads(done.stdout)
        results.append(found)
        print(
            f"| {charts:,} | {found['spans']:,} | {found['seconds']:.2f} s "
            f"| {found['seconds'] / found['spans'] * 1e6:.1f} µs | {found['megabytes']:.0f} MB "
            f"| {found['bootstrap']:.2f} s |",
            flush=True,
        )
    first, last = results[0], results[-1]
    grown = {what: last[what] / first[what] for what in ("seconds", "megabytes")}
    kept = max(grown.values()) <= ALLOWED
    print(
        f"\nFour times the charts: {grown['seconds']:.2f} times as long, {grown['megabytes']:.2f} "
        f"times the memory (at most {ALLOWED:g}): {'kept' if kept else 'MISSED'}"
    )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
