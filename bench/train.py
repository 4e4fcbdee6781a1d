"""How many notes a second CAML learns from, next to plain copies of its loop.

Makes charts of words at random, as long as discharge summaries are (lognormal, median 1,400
words), with the codes of a full label space. Then, in one run, each round in a process of its own,
one epoch of each way after a batch to warm up:

- plain:   batches of 16 in the order given, every chart cut or padded to 2,500 words, kernel 10,
           the attention of all codes kept, Adam
- sorted:  the same over charts sorted by length, padded to the longest of their batch, which is
           what the authors' data loader does
- auscult: `train` with CAML's published sizes (kernel 9, since it must be odd) and batches of 16
           that are alike in length

Prints medians and the ratios of notes a second, of which the one to plain must be at least 2.
Exits with 1 when it is missed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from auscult.learning.training import train
from auscult.models.neural.batching import EncodedChart, collate
from auscult.models.neural.caml import CamlConfiguration, CamlEncoder
from auscult.models.neural.network import LabelAttentionNetwork

LEAST = 2.0
ROUNDS = 2
BATCH, LENGTH, CHANNELS, EMBEDDING = 16, 2_500, 50, 100
WORDS = 30_000


def make_items(notes: int, labels: int) -> list[EncodedChart]:
    """Charts at random, none longer than CAML reads."""
    dice = np.random.default_rng(0)
    lengths = np.minimum(dice.lognormal(np.log(1_400), 0.5, notes).astype(int) + 1, LENGTH)
    return [
        EncodedChart(dice.integers(2, WORDS, length), np.unique(dice.integers(0, labels, 16)))
        for length in lengths
    ]


class PlainCaml(nn.Module):
    """CAML as published: an even kernel, and softmax over padding too."""

    def __init__(self, labels: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, EMBEDDING, padding_idx=0)
        self.dropout = nn.Dropout(0.2)
        self.convolution = nn.Conv1d(EMBEDDING, CHANNELS, 10, padding=5)
        self.codes = nn.Linear(CHANNELS, labels)
        self.output = nn.Linear(CHANNELS, labels)

    def forward(self, words: Tensor, gold: Tensor) -> Tensor:
        inside = self.dropout(self.embedding(words)).transpose(1, 2)
        seen = torch.tanh(self.convolution(inside)).transpose(1, 2)  # (B, T, C)
        attention = (self.codes.weight @ seen.transpose(1, 2)).softmax(2)  # (B, L, T)
        read = attention @ seen
        logits = (self.output.weight * read).sum(2) + self.output.bias
        return functional.binary_cross_entropy_with_logits(logits, gold)


def run_plain(items: list[EncodedChart], labels: int, length: int | None = None) -> None:
    """One epoch of a plain loop; charts padded to a length, or to the longest of their batch."""
    network = PlainCaml(labels)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-4)
    for begin in range(0, len(items), BATCH):
        some = items[begin : begin + BATCH]
        words, gold = (
            torch.zeros(
                len(some), length or max(len(one.words) for one in some), dtype=torch.int64
            ),
            torch.zeros(len(some), labels),
        )
        for row, one in enumerate(some):
            words[row, : len(one.words)] = torch.from_numpy(one.words)
            gold[row, one.codes] = 1
        optimizer.zero_grad()
        network(words, gold).backward()
        optimizer.step()


def run_ours(items: list[EncodedChart], labels: int, threads: int) -> None:
    """One epoch of ours."""
    config = CamlConfiguration(
        embedding_dim=EMBEDDING, out_channels=CHANNELS, kernel_size=9, batch_size=BATCH,
        epochs=1, threads=threads,
        learning_rate=1e-4, device="cpu",
    )  # fmt: skip
    network = LabelAttentionNetwork(WORDS, labels, CamlEncoder(config), config)
    train(
        network,
        [len(one.words) for one in items],
        lambda places: collate([items[at] for at in places], labels),
        config,
        seed=0,
    )


def measure(way: str, notes: int, labels: int, threads: int) -> float:
    """Notes a second, after one batch that does not count."""
    torch.set_num_threads(threads)
    items = make_items(notes, labels)

    def once(some: list[EncodedChart]) -> None:
        if way == "plain":
            run_plain(some, labels, LENGTH)
        elif way == "sorted":
            run_plain(sorted(some, key=lambda one: len(one.words)), labels)
        else:
            run_ours(some, labels, threads)

    once(items[:BATCH])
    begin = time.perf_counter()
    once(items)
    return notes / (time.perf_counter() - begin)


def metric_apart(way: str, sizes: list[str]) -> float:
    """Do it once in a process of its own."""
    command = [sys.executable, __file__, "--one", way, *sizes]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        sys.exit(error.stderr)
    return float(json.loads(done.stdout))


def run(sizes: list[str], rounds: int) -> bool:
    """Measure all ways in turn and print; whether the limit is kept."""
    found: dict[str, list[float]] = {"plain": [], "sorted": [], "auscult": []}
    for _ in range(rounds):
        for way, speeds in found.items():
            speeds.append(metric_apart(way, sizes))
    middle = {way: statistics.median(speeds) for way, speeds in found.items()}
    for way, speed in middle.items():
        print(f"{way:8} {speed:7.1f} notes a second")
    ratio = middle["auscult"] / middle["plain"]
    kept = ratio >= LEAST
    print(f"{ratio:.1f} times plain, wanted at least {LEAST:g}: {'kept' if kept else 'MISSED'}")
    print(f"{middle['auscult'] / middle['sorted']:.1f} times sorted")
    return kept


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--notes", default="64")
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
