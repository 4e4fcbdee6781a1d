"""How prediction grows with the corpus: time, memory, and what a second worker is worth.

Makes corpora of short notes, a chart each, by drawing sentences from a small ward of made-up ones
(seeded), and lets `auscult predict` code them with a lexicon that learned from the ward. Each
measurement is a process of its own. Prints processor time, time by the clock and peak memory for
every size, then two workers against one, taking turns, and the load of the machine.

Wanted: processor time a note at the largest size at most 1.5 times that at the one before, and
peak memory at most 1.3 times. Exits with 1 when one is missed. The second worker's worth depends on
what else the machine does, so it is printed and not judged.

With --codes, what one chart costs a neural model with so many codes.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.commands import Run, environment, run

from auscult.core import Annotation, Code, Note, Span
from auscult.corpus.corpus import Corpus
from auscult.corpus.schema import NOTES
from auscult.models.fitting import fit

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


def complaint(dice: random.Random) -> tuple[str, str, Span]:
    """A short text, its code and where it says so."""
    code = dice.choice(list(PHRASES))
    phrase = dice.choice(PHRASES[code])
    frame = dice.choice(FRAMES)
    begin = frame.index("{}")
    return frame.format(phrase, dice.randint(2, 9)), code, Span(begin, begin + len(phrase))


def make_model(path: Path) -> None:
    """A lexicon that learned from 300 of them."""
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
    Corpus(table.lazy(), Corpus.of().lazy_annotations).write(path)


def make_vocabulary(path: Path) -> None:
    """What they are called, as a vocabulary."""
    table = path.with_suffix(".csv")
    rows = [f"{code},{phrase}\n" for code, phrases in PHRASES.items() for phrase in phrases]
    table.write_text("id,name\n" + "".join(rows))
    command = ["vocab", "build", str(table), str(path), "--code-system", "ICD-10-CM"]
    subprocess.run([sys.executable, "-m", "auscult", *command], check=True, capture_output=True)


def measure(what: Path, corpus: Path, workers: int, threads: int) -> Run:
    """Time the command: predict with a model, or find with a vocabulary."""
    out = corpus.parent / "found"
    doing = ["predict"] if what.name == "model" else ["vocab", "find"]
    words: list[str | Path] = [
        *doing,
        what,
        corpus,
        out,
        "--workers",
        str(workers),
        "--threads",
        str(threads),
    ]
    found = run(words, threads)
    shutil.rmtree(out)
    return found


_WIDE = """
import time, torch
from bench.memory import peak_megabytes
from auscult.models.neural.batching import Item, collate
from auscult.models.neural.caml import Caml
import numpy as np
torch.set_num_threads({threads})
config = Caml.config_type(descriptions=False)
network = Caml.new_network(50_000, {codes}, config).eval()
dice = np.random.default_rng(0)
items = [Item(dice.integers(2, 50_000, {words}), np.zeros(0, np.int64)) for _ in range(3)]
with torch.inference_mode():
    begin = time.process_time()
    for one in items:
        batch = collate([one], {codes})
        network.logits(network.encode(network.embed(batch.words), batch.mask))
    took = (time.process_time() - begin) / len(items)
print(took, peak_megabytes())
"""


def many_codes(codes: int, words: int, threads: int) -> Run:
    """Processor time and memory of reading a chart by `caml` with so many codes, not trained."""
    script = _WIDE.format(codes=codes, words=words, threads=threads)
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment(threads)
    )
    if said.returncode:
        raise SystemExit(said.stderr)
    took, megabytes = map(float, said.stdout.split())
    return Run(0.0, took, megabytes)


def main() -> None:
    """Run it all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--rounds", type=int, default=3, help="Of two workers against one.")
    parser.add_argument("--threads", type=int, default=1, help="Of each worker.")
    parser.add_argument("--find", action="store_true", help="Find terms rather than predict.")
    parser.add_argument("--codes", help="Instead: read charts by caml with so many codes, N,N…")
    parser.add_argument("--words", type=int, default=1_500, help="Of such a chart.")
    chosen = parser.parse_args()
    if chosen.codes:
        for codes in map(int, chosen.codes.split(",")):
            wide = many_codes(codes, chosen.words, chosen.threads)
            print(
                f"{codes:,} codes, {chosen.words:,} words: {wide.processor:.2f} s of a core a "
                f"chart, {wide.megabytes:,.0f} MB",
                flush=True,
            )
        return
    sizes = [int(size) for size in chosen.sizes.split(",")]
    missed = False
    with tempfile.TemporaryDirectory(prefix="scale-") as folder:
        what = Path(folder) / ("vocabulary" if chosen.find else "model")
        (make_vocabulary if chosen.find else make_model)(what)
        runs: dict[int, Run] = {}
        print("| notes | processor | a note | clock | peak memory |")
        print("| ---: | ---: | ---: | ---: | ---: |")
        for size in sizes:
            corpus = Path(folder) / f"{size}"
            make_corpus(corpus, size)
            one = runs[size] = measure(what, corpus, 1, chosen.threads)
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
            first = measure(what, middle, 1, chosen.threads)
            second = measure(what, middle, 2, chosen.threads)
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
