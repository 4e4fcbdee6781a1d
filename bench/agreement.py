"""How fast agreement is, against nltk and by itself: `python bench/agreement.py`.

Makes notes that three coders code the way the coders of the 2007 challenge do: one to three of 45
codes that are frequent and rare as words are, and of the same note mostly the same. On 978 notes it
times α with MASI distance by nltk and here, in turns, from annotations to the value, and compares
the two values. Then everything `auscult agree` says of 100,000 such notes, in a fresh process on
one core, with 1,000 resamples and without. Kept when α is at least five times as fast as nltk's.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from itertools import groupby
from statistics import median

NOTES, MANY, ROUNDS = 978, 100_000, 5
CODES, WANTED = 45, 5.0
CODERS = ("one", "two", "three")


def coded(notes: int) -> list[tuple[str, str, str]]:
    """Coder, note and code of every annotation."""
    dice = random.Random(notes)
    codes = [f"{100 + at}.{at % 10}" for at in range(CODES)]
    weights = [1 / (at + 1) for at in range(CODES)]
    made = []
    for note in range(notes):
        true = set(dice.choices(codes, weights, k=dice.choice((1, 1, 1, 2, 2, 3))))
        for coder, care in zip(CODERS, (0.85, 0.9, 0.8), strict=True):
            given = {code for code in sorted(true) if dice.random() < care}
            if not given or dice.random() > care:
                given |= set(dice.choices(codes, weights))
            made += [(coder, str(note), code) for code in sorted(given)]
    return made


def ours(rows: list[tuple[str, str, str]]) -> float:
    """α with MASI from annotations, by Auscult."""
    from auscult.agreement.alpha import krippendorff_alpha
    from auscult.agreement.ratings import Ratings
    from auscult.agreement.similarity import Distance

    found = krippendorff_alpha(
        Ratings.of([[sets[coder] for coder in CODERS] for sets in _sets(rows)]), Distance.MASI
    )
    assert found.value is not None
    return found.value


def theirs(rows: list[tuple[str, str, str]]) -> float:
    """The same by nltk."""
    from nltk.metrics.agreement import AnnotationTask
    from nltk.metrics.distance import masi_distance

    triples = [
        (coder, str(note), sets[coder]) for note, sets in enumerate(_sets(rows)) for coder in CODERS
    ]
    return float(AnnotationTask(triples, masi_distance).alpha())


def _sets(rows: list[tuple[str, str, str]]) -> list[dict[str, frozenset[str]]]:
    return [
        {coder: frozenset(c for who, _, c in group if who == coder) for coder in CODERS}
        for _, found in groupby(rows, key=lambda row: row[1])
        for group in [list(found)]
    ]


def compare() -> float:
    """Print α by both, and say how many times as fast ours is."""
    rows = coded(NOTES)
    ours(rows), theirs(rows)  # imports and first calls
    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    values = {}
    for _ in range(ROUNDS):
        for name, function in (("theirs", theirs), ("ours", ours)):
            begun = time.perf_counter()
            values[name] = function(rows)
            times[name].append(time.perf_counter() - begun)
    mine, nltk = (median(times[name]) for name in ("ours", "theirs"))
    print(f"α with MASI, {NOTES} notes × {len(CODERS)} coders, medians of {ROUNDS} in turns\n")
    print("| | α | time |\n| --- | ---: | ---: |")
    print(f"| nltk | {values['theirs']:.4f} | {nltk * 1000:.1f} ms |")
    print(f"| Auscult | {values['ours']:.4f} | {mine * 1000:.1f} ms |")
    print(f"\n{nltk / mine:.1f} times as fast (at least {WANTED:g}: {_verdict(nltk / mine)})\n")
    return nltk / mine


def whole(notes: int, times: int) -> None:
    """Everything `agree` says, in this process, and what it took."""
    from auscult.agreement import agree
    from auscult.core import Annotation, Code, Note
    from auscult.corpus import Corpus

    corpus = Corpus.of(
        [Note(str(note), str(note)) for note in range(notes)],
        [Annotation(who, Code("ICD-9-CM", c), note, note) for who, note, c in coded(notes)],
    )
    begun = time.process_time(), time.perf_counter()
    found = agree(corpus, CODERS, times=times)
    alpha = found.metrics["alpha_masi"].value
    print(
        json.dumps(
            {
                "cpu": time.process_time() - begun[0],
                "wall": time.perf_counter() - begun[1],
                "alpha": alpha,
                "disagreements": sum(found.causes.values()),
            }
        )
    )


def _verdict(ratio: float) -> str:
    return "kept" if ratio >= WANTED else "MISSED"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--whole", nargs=2, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.whole:
        whole(*options.whole)
        return
    compare()
    print(f"All of `auscult agree`, {MANY:,} notes × {len(CODERS)} coders\n")
    print("| resamples | processor time | disagreements | α with MASI |")
    print("| ---: | ---: | ---: | ---: |")
    environment = {**os.environ, "POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}
    for times in (0, 1000):
        command = [sys.executable, __file__, "--whole", str(MANY), str(times)]
        done = subprocess.run(command, check=True, env=environment, capture_output=True)
        found = json.loads(done.stdout)
        print(
            f"| {times:,} | {found['cpu']:.1f} s | {found['disagreements']:,} "
            f"| {found['alpha']:.4f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
