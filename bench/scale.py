"""How prediction grows with the corpus: time, memory, and what a second worker is worth.

Makes corpora of short notes, a chart each, by drawing sentences from a small ward of made-up ones
(seeded), and lets `auscult predict` code them with a lexicon that learnt from the ward. Each
measurement is a process of its own. Prints processor time, time by the clock and peak memory for
every size, then two workers against one, taking turns, and the load of the machine.

Wanted: processor time a note at the largest size at most 1.5 times that at the one before, and
peak memory at most 1.3 times. Exits with 1 when one is missed. The second worker's worth depends on
what else the machine does, so it is printed and not judged.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from auscult.coders.fitting import fit
from auscult.core import Annotation, Code, Note, Span
from auscult.corpus.corpus import Corpus
from auscult.corpus.schema import NOTES

MOST_TIME, MOST_MEMORY = 1.5, 1.3
PHRASES = {
    "I10": ("hypertension", "high blood pressure"),
    "J18.9": ("pneumonia", "consolidation of the lung"),
    "E11.9": ("type 2 diabetes", "diabetes mellitus"),
    "N17.9": ("acute kidney failure", "acute renal failure"),
    "R07.9": ("chest pain", "pain in the chest"),
    "R51.9": ("headache", "pain in the head"),
}
FRAMES = ("Comes with {} since {} days.", "Known for {}, seen {} times.", "Has {}; day {} of stay.")


@dataclass(frozen=True)
class Run:
    """One run of the command."""

    clock: float
    processor: float
    megabytes: float


def complaint(dice: random.Random) -> tuple[str, str, Span]:
    """A short text, its code and where it says so."""
    code = dice.choice(list(PHRASES))
    phrase = dice.choice(PHRASES[code])
    frame = dice.choice(FRAMES)
    begin = frame.index("{}")
    return frame.format(phrase, dice.randint(2, 9)), code, Span(begin, begin + len(phrase))


def make_coder(path: Path) -> None:
    """A lexicon that learnt from 300 of them."""
    dice = random.Random(1)
    notes, annotations = [], []
    for number in range(300):
        text, code, span = complaint(dice)
        notes.append(Note(f"t{number}", f"t{number}", f"t{number}", text=text))
        annotations.append(
            Annotation("gold", Code("ICD-10-CM", code), f"t{number}", f"t{number}", (span,))
        )
    fit(Corpus.of(notes, annotations), "lexicon").save(path)


def make_corpus(path: Path, size: int) -> None:
    """So many notes, a chart each."""
    dice = random.Random(0)
    pool = pl.Series([complaint(dice)[0] for _ in range(5_000)])
    ids = pl.select(pl.concat_str(pl.lit("n"), pl.int_range(size).cast(pl.String)).alias("note_id"))
    texts = pool.sample(size, with_replacement=True, seed=0)
    nothing = {name: None for name in NOTES if name not in ("note_id", "chart_id", "text")}
    table = ids.with_columns(
        pl.col("note_id").alias("chart_id"),
        texts.alias("text"),
        *(pl.lit(None, pl.String).alias(name) for name in nothing),
    ).select(pl.col(name).cast(kind) for name, kind in NOTES.items())
    Corpus(table.lazy(), Corpus.of().annotations).write(path)


def predict(coder: Path, corpus: Path, workers: int, threads: int) -> Run:
    """Time the command."""
    out = corpus.parent / "predicted"
    command = [
        sys.executable, "-m", "auscult", "predict", str(coder), str(corpus), str(out),
        "--workers", str(workers), "--threads", str(threads),
    ]  # fmt: skip
    environment = {**os.environ, "POLARS_MAX_THREADS": str(threads)}
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, used = os.wait4(process.pid, 0)
    clock = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit("auscult predict failed.")
    shutil.rmtree(out)
    return Run(clock, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def main() -> None:
    """Run it all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--rounds", type=int, default=3, help="Of two workers against one.")
    parser.add_argument("--threads", type=int, default=1, help="Of each worker.")
    chosen = parser.parse_args()
    sizes = [int(size) for size in chosen.sizes.split(",")]
    missed = False
    with tempfile.TemporaryDirectory(prefix="scale-") as folder:
        coder = Path(folder) / "coder"
        make_coder(coder)
        runs: dict[int, Run] = {}
        print("| notes | processor | a note | clock | peak memory |")
        print("| ---: | ---: | ---: | ---: | ---: |")
        for size in sizes:
            corpus = Path(folder) / f"{size}"
            make_corpus(corpus, size)
            one = runs[size] = predict(coder, corpus, 1, chosen.threads)
            print(
                f"| {size:,} | {one.processor:.1f} s | {1e6 * one.processor / size:.0f} µs "
                f"| {one.clock:.1f} s | {one.megabytes:.0f} MB |",
                flush=True,
            )
        if len(sizes) > 1:
            large, small = sizes[-1], sizes[-2]
            slower = runs[large].processor / large / (runs[small].processor / small)
            more = runs[large].megabytes / runs[small].megabytes
            print(f"\nprocessor time a note, {large:,} by {small:,}: {slower:.2f}")
            print(f"peak memory, {large:,} by {small:,}: {more:.2f}")
            missed = slower > MOST_TIME or more > MOST_MEMORY
        middle = Path(folder) / f"{sizes[min(1, len(sizes) - 1)]}"
        ratios = []
        for _ in range(chosen.rounds):
            first = predict(coder, middle, 1, chosen.threads)
            second = predict(coder, middle, 2, chosen.threads)
            ratios.append(first.clock / second.clock)
            load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
            print(
                f"one worker {first.clock:.1f} s, two {second.clock:.1f} s: {ratios[-1]:.2f} times "
                f"as fast (load {load} on {os.cpu_count()} cores)",
                flush=True,
            )
    sys.exit(missed)


if __name__ == "__main__":
    main()
