"""Writing 10,000 chief complaints of a synthetic hospital: how fast, how safe, and what is kept.

Learns an LSTM generator from the emergency records of a synthetic hospital, whose canaries are
words
that one patient's records have. Then, in one run:

- speed:        10,000 texts with beam 5 in batches, and, for a sample of them spread over all, one
                at a time; in turns. At least 10 times as fast, and the same texts.
- canaries:     none in those 10,000 texts, nor in 10,000 that are sampled.
- odds ratios:  of common complaints by sex and age in the sampled texts, within the interval of the
                authentic ones; at least nine in ten, since of intervals of 95% a twentieth misses,
                and sampling adds to it.

Exits with 1 when one is missed. With --folder, hospital and generator are kept for the next run.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import polars as pl
import torch

from auscult.corpus import Corpus, formats
from auscult.corpus.records import Cleaning, pairs_of
from auscult.corpus.split import split_at_random
from auscult.evaluate.text import common_complaints, memorization
from auscult.evaluate.text.epidemiology import groups, odds_ratio, with_words
from auscult.generators.contract import TextDecoding
from auscult.generators.fitting import train_generator
from auscult.generators.generator import TextGenerator
from auscult.synth.hospital import make_hospital

LEAST, KEPT = 10.0, 0.9
TEXTS, ALONE, ROUNDS = 10_000, 200, 3
CONFIG = {"batch_size": 32, "epochs": 12, "patience": 3, "learning_rate": 4e-3}


def emergency(folder: Path, patients: int) -> Corpus:
    """The emergency records of a synthetic hospital, split by patient."""
    place = folder / "hospital" / "emergency"
    if not place.exists():
        make_hospital(folder / "hospital", patients=patients, seed=0)
    corpus = formats.read(
        "csv", place / "records.csv", note_id="record_id", text="chief_complaint", records=True
    )
    return split_at_random(corpus, {"train": 0.8, "dev": 0.1, "test": 0.1}, seed=0)


def is_fast(generator: TextGenerator, records: pl.DataFrame, rounds: int) -> tuple[bool, list[str]]:
    """Write in turns and print; whether the limit is kept, and the texts."""
    places = list(range(0, TEXTS, TEXTS // ALONE))
    speeds: dict[str, list[float]] = {"one at a time": [], "in batches": []}
    differ = 0
    texts: list[str] = []
    for _ in range(rounds):
        begin = time.process_time()
        alone = generator.write(records[places], TextDecoding(batch_size=1))
        speeds["one at a time"].append(len(places) / (time.process_time() - begin))
        begin = time.process_time()
        texts = generator.write(records, TextDecoding())
        speeds["in batches"].append(TEXTS / (time.process_time() - begin))
        differ += sum(texts[at] != text for at, text in zip(places, alone, strict=True))
    middle = {way: statistics.median(found) for way, found in speeds.items()}
    for way, speed in middle.items():
        print(f"{way:14} {speed:8.1f} texts a second of processor time")
    ratio = middle["in batches"] / middle["one at a time"]
    kept = ratio >= LEAST and not differ
    print(f"{ratio:.1f} times as fast, {differ} of {rounds * len(places):,} texts differ; wanted "
          f"at least {LEAST:g} and none: {_said(kept)}")  # fmt: skip
    return kept, texts


def is_safe(texts: list[str], corpus: Corpus, canaries: list[str]) -> bool:
    """Whether no canary is in the texts."""
    clean = Cleaning()
    training = [clean.words(text) for text in pairs_of(corpus).of_split("train").texts]
    said = {word for text in training for word in text}
    planted = [clean.words(canary) for canary in canaries]
    learned = sum(not said.isdisjoint(words[:1]) for words in planted)
    found = memorization([text.split() for text in texts], training, secrets=planted, times=0)
    kept = not found.leaked and learned > 0
    print(f"{len(found.leaked)} of {len(planted)} canaries ({learned} in training texts) in "
          f"{len(texts):,} texts; wanted none: {_said(kept)}")  # fmt: skip
    return kept


def is_alike(texts: list[str], repeated: pl.DataFrame, corpus: Corpus) -> bool:
    """Whether odds ratios in the texts are within the intervals of the authentic ones."""
    clean, pairs = Cleaning(), pairs_of(corpus)
    authentic = [clean.words(text) for text in pairs.texts]
    synthetic = [text.split() for text in texts]
    inside = 0
    outside: list[str] = []
    for complaint, words in common_complaints(authentic, most=12).items():
        has, written = with_words(authentic, words), with_words(synthetic, words)
        for variable in ("sex", "age_band"):
            among = groups(repeated[variable])
            for level, group in groups(pairs.records[variable]).items():
                ours, theirs = odds_ratio(has, group), odds_ratio(written, among[level])
                if ours.interval is None:
                    continue
                low, high = ours.interval
                if theirs.value is not None and low <= theirs.value <= high:
                    inside += 1
                else:
                    outside.append(f"{complaint} by {variable} {level}")
    share = inside / (inside + len(outside))
    kept = share >= KEPT
    print(f"{inside} of {inside + len(outside)} odds ratios ({share:.0%}) within the authentic "
          f"interval; wanted {KEPT:.0%}: {_said(kept)}")  # fmt: skip
    print("outside:", ", ".join(outside) or "none")
    return kept


def run(folder: Path, patients: int, rounds: int, threads: int) -> bool:
    """Everything; whether all limits are kept."""
    corpus = emergency(folder, patients)
    canaries = (folder / "hospital" / "emergency" / "canaries.txt").read_text().splitlines()
    place = folder / "generator"
    config = {**CONFIG, "threads": threads}
    generator = (
        TextGenerator.load(place)
        if place.exists()
        else train_generator(corpus, place, "lstm", config)
    )
    records = pairs_of(corpus).records
    repeated = pl.concat([records] * (TEXTS // records.height + 1))[:TEXTS]
    fast, beams = is_fast(generator, repeated, rounds)
    sampled = generator.write(repeated, TextDecoding(strategy="sample"), seed=1)
    safe = is_safe([*beams, *sampled], corpus, canaries)
    return is_alike(sampled, repeated, corpus) and fast and safe


def _said(kept: bool) -> str:
    return "kept" if kept else "MISSED"


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--patients", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--folder", type=Path)
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    with tempfile.TemporaryDirectory() as folder:
        kept = run(chosen.folder or Path(folder), chosen.patients, chosen.rounds, chosen.threads)
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
