"""How many notes a second CAML and EffectiveCAN learn from, and in how much memory.

Charts of words at random, as long as MIMIC-III's discharge summaries (log-normal, 1,400 words on
average), with 16 codes each of a full label space. In one run, with the same number of threads and
each round in a process of its own, one epoch of each way after
a batch to warm up:

- plain:   the loop of medical-coding-reproducibility (Edin et al. 2023), written from its
           description. Its repository says: batches of 8 charts, at most 4,000 words, drawn from
           buckets of similar length (bounds 400, 600 … 2,200, 2,600, 3,000, 4,000) and padded to
           the longest (configs/dataloader, experiment/mimiciii_clean); CAML with 50 channels and a
           kernel of 10 (configs/model); the attention of all codes as one tensor, over padding too
           (models/modules/attention.py); AdamW; mixed precision on a GPU only, and after each
           batch about fifteen metrics of all codes, kept as dense counts (trainer, metrics.py).
           What does not fill a batch of a bucket is dropped, of a corpus as large as MIMIC-III.
- auscult: `train` with the model's default settings

medical-coding-reproducibility has no EffectiveCAN, and nobody has published the authors'. Its plain
way is our encoder, of the same sizes, under that loop and that attention.

Prints medians, with a third way, CAML of the published sizes under `train`, which the default ones
should not be more than 1.1 times slower than. Memory is the peak of the process above that before
the network is built. Exits with 1 when a model learns from less than 2.5 times the notes a second
of plain, or needs more than a quarter of its memory.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from auscult.learning.step_times import StepTimes
from auscult.learning.training import train
from auscult.models.neural.batching import ChartBatch, EncodedChart, collate
from auscult.models.neural.caml import Caml, CamlConfiguration
from auscult.models.neural.configuration import WordConfiguration
from auscult.models.neural.effectivecan import (
    EffectiveCan,
    EffectiveCanConfiguration,
    EffectiveCanEncoder,
)
from auscult.models.neural.word_scorer import AttentionScorer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.memory import peak_megabytes

LEAST_SPEED, MOST_MEMORY, MOST_SLOWDOWN = 2.5, 0.25, 1.1
ROUNDS = 2
MEAN, SPREAD, LONGEST = 1_400, 0.5, 4_000
CHARTS, WORDS, EMBEDDING, CODES = 47_000, 30_000, 100, 16
BATCH = 8
BOUNDS = (400, 600, 800, 1_000, 1_200, 1_400, 1_600, 1_800, 2_000, 2_200, 2_600, 3_000, 4_000)

WAYS = ("plain caml", "caml", "published caml", "plain effectivecan", "effectivecan")


def make_items(notes: int, labels: int) -> list[EncodedChart]:
    """Charts at random: whole batches of the plain loop, one after another.

    They are drawn as that loop draws them from a whole corpus, where a bucket fills its batches.
    """
    dice = np.random.default_rng(0)
    middle = math.log(MEAN) - SPREAD**2 / 2
    lengths = dice.lognormal(middle, SPREAD, CHARTS).astype(int).clip(50, LONGEST)
    bucket = np.searchsorted(BOUNDS, lengths, side="right")
    batches = [
        places
        for number in np.unique(bucket)
        for places in _whole(dice.permutation(np.flatnonzero(bucket == number)))
    ]
    chosen = dice.permutation(len(batches))[: notes // BATCH]
    return [
        EncodedChart(dice.integers(2, WORDS, length), np.unique(dice.integers(0, labels, CODES)))
        for at in chosen
        for length in lengths[batches[at]]
    ]


def _whole(places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Places in whole batches; the rest is dropped."""
    return places[: len(places) // BATCH * BATCH].reshape(-1, BATCH)


class PlainAttention(nn.Module):
    """Attention with the weights of all codes and words there."""

    def __init__(self, size: int, labels: int) -> None:
        super().__init__()
        self.codes = nn.Linear(size, labels)
        self.output = nn.Linear(size, labels)

    def forward(self, seen: Tensor) -> Tensor:
        """(B, D, T) → (B, L)."""
        attention = torch.softmax(self.codes.weight @ seen, dim=2)  # (B, L, T)
        read = attention @ seen.transpose(1, 2)
        return (self.output.weight * read).sum(2) + self.output.bias


class PlainCaml(nn.Module):
    """CAML as published: an even kernel, and softmax over padding too."""

    def __init__(self, labels: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, EMBEDDING, padding_idx=0)
        self.dropout = nn.Dropout(0.2)
        self.convolution = nn.Conv1d(EMBEDDING, 50, 10, padding=5)
        self.attention = PlainAttention(50, labels)

    def forward(self, batch: ChartBatch) -> Tensor:
        inside = self.dropout(self.embedding(batch.words)).transpose(1, 2)
        logits: Tensor = self.attention(torch.tanh(self.convolution(inside)))
        return logits


class PlainEffectiveCan(nn.Module):
    """Our encoder of EffectiveCAN under that attention."""

    def __init__(self, labels: int) -> None:
        super().__init__()
        config = EffectiveCanConfiguration()
        self.embedding = nn.Embedding(WORDS, EMBEDDING, padding_idx=0)
        self.dropout = nn.Dropout(0.2)
        self.encoder = EffectiveCanEncoder(config)
        self.attention = PlainAttention(config.key_dim, labels)

    def forward(self, batch: ChartBatch) -> Tensor:
        inside = self.dropout(self.embedding(batch.words))
        logits: Tensor = self.attention(self.encoder(inside, batch.mask).keys.transpose(1, 2))
        return logits


class PlainMetrics:
    """What is counted after each batch: eight metrics by code, and seven by rank."""

    def __init__(self, labels: int) -> None:
        self.counts = [torch.zeros(labels) for _ in range(20)]
        self.sums = torch.zeros(7)

    def update(self, scores: Tensor, gold: Tensor) -> None:
        """Count each metric on its own, as there."""
        used = iter(self.counts)
        for kinds in ("tp fp fn", "tp fn", "tp fp", "fp tn"):
            for _ in ("micro", "macro"):
                found = (scores > 0.5).long()
                for kind in kinds.split():
                    hit = found if kind[1] == "p" else 1 - found
                    right = gold if kind in ("tp", "fn") else 1 - gold
                    next(used).add_((hit * right).sum(0))
        for at, count in enumerate((5, 8, 15, 10, 15)):
            best = torch.topk(scores, count, dim=1).indices
            self.sums[at] += gold.gather(1, best).sum()
        for at in (5, 6):
            places = torch.sort(scores, dim=1, descending=True).indices
            self.sums[at] += gold.gather(1, places).cumsum(1).mean()


def run_plain(items: list[EncodedChart], labels: int, network: nn.Module) -> None:
    """One epoch of the plain loop, after which there are no times of its steps."""
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3, weight_decay=1e-3)
    metrics = PlainMetrics(labels)
    for begin in range(0, len(items), BATCH):
        batch = collate(items[begin : begin + BATCH], labels)
        logits = network(batch)
        functional.binary_cross_entropy_with_logits(logits, batch.gold).backward()  # type: ignore[no-untyped-call]  # torch publishes no type of it
        optimizer.step()
        optimizer.zero_grad()
        metrics.update(logits.detach().sigmoid(), batch.gold)


def run_ours(
    items: list[EncodedChart],
    labels: int,
    scorer: type[AttentionScorer],
    config: WordConfiguration,
) -> StepTimes:
    """One epoch of ours."""
    return train(
        scorer.new_network(WORDS, labels, config),
        [len(one.words) for one in items],
        lambda places: collate([items[at] for at in places], labels),
        config,
        seed=0,
    )


def measure(way: str, notes: int, labels: int, threads: int) -> dict[str, float | str]:
    """One epoch, here: notes a second, peak memory, and where the time of ours went."""
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    items = make_items(notes, labels)
    running = {"epochs": 1, "threads": threads, "device": "cpu"}
    before = peak_megabytes()

    def once(some: list[EncodedChart]) -> StepTimes | None:
        if way == "plain caml":
            run_plain(some, labels, PlainCaml(labels))
            return None
        if way == "plain effectivecan":
            run_plain(some, labels, PlainEffectiveCan(labels))
            return None
        if way == "caml":
            return run_ours(some, labels, Caml, CamlConfiguration(**running))
        if way == "published caml":
            published = CamlConfiguration(out_channels=50, kernel_size=9, batch_size=16, **running)
            return run_ours(some, labels, Caml, published)
        return run_ours(some, labels, EffectiveCan, EffectiveCanConfiguration(**running))

    once(items[:BATCH])  # what is imported and compiled once does not count
    begin, worked = time.perf_counter(), time.process_time()
    times = once(items)
    notes = len(items)
    return {
        "speed": notes / (time.perf_counter() - begin),
        "core": notes / (time.process_time() - worked),
        "megabytes": peak_megabytes() - before,
        "times": "" if times is None else str(times),
    }


def metric_apart(way: str, sizes: list[str]) -> dict[str, float]:
    """Do it once in a process of its own."""
    command = [sys.executable, __file__, "--one", way, *sizes]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        sys.exit(error.stderr)
    result = json.loads(done.stdout)
    if said := result.pop("times"):
        print(f"  {way}: {said}", file=sys.stderr)
    found: dict[str, float] = result
    return found


def run(sizes: list[str], rounds: int) -> bool:
    """Measure all ways in turn and print; whether the limits are kept."""
    found: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way, results in found.items():
            results.append(metric_apart(way, sizes))
    middle = {
        way: {name: statistics.median(one[name] for one in results) for name in results[0]}
        for way, results in found.items()
    }
    for way, each in middle.items():
        print(
            f"{way:18} {each['speed']:6.2f} notes a second, {each['core']:6.2f} a second of "
            f"processor time, {each['megabytes']:6,.0f} MB"
        )
    is_kept: dict[str, bool] = {}
    for model in ("caml", "effectivecan"):
        ours, plain = middle[model], middle[f"plain {model}"]
        speed = ours["core"] / plain["core"]
        memory = ours["megabytes"] / plain["megabytes"]
        is_kept |= {
            f"{model}: {speed:.2f} times the notes a second of processor time, wanted at least "
            f"{LEAST_SPEED:g}": speed >= LEAST_SPEED,
            f"{model}: {memory:.2f} of the memory, wanted at most {MOST_MEMORY:g}": (
                memory <= MOST_MEMORY
            ),
        }
    slowdown = middle["published caml"]["core"] / middle["caml"]["core"]
    is_kept[
        f"caml: {slowdown:.2f} times the time of its published sizes, wanted at most "
        f"{MOST_SLOWDOWN:g}"
    ] = slowdown <= MOST_SLOWDOWN
    for said, kept in is_kept.items():
        print(f"{said}: {'kept' if kept else 'MISSED'}")
    return all(is_kept.values())


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--notes", default="200")
    parser.add_argument("--labels", default="8921")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args()
    if given.one:
        way, *sizes = given.one
        print(json.dumps(measure(way, *map(int, sizes))))
        return
    sys.exit(0 if run([given.notes, given.labels, given.threads], given.rounds) else 1)


if __name__ == "__main__":
    main()
