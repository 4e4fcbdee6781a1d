"""One training step of label-wise attention over a full label space, in time and memory.

8,921 codes (MIMIC-III), 8 charts of up to 3,500 words: the loss of the codes and, for 14 codes of
each chart, of their evidence. Both ways in one run, each round in a process of its own:

- plain:   `softmax(U Hᵀ) H` with the weights of all codes and words there, as published code does
- auscult: `attend` for the scores, `log_attention` for the pairs whose evidence is wanted

Memory is the peak of the process above what it had before the step. Prints medians and two
ratios: our peak by the plain one's (less than 0.5), and our time by the plain one's (at most 1).
Exits with 1 when one is missed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import torch
from torch import Tensor

from auscult.models.neural.label_attention import attend, log_attention
from auscult.models.neural.losses import attention_loss, code_loss

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.memory import peak_megabytes

MOST_MEMORY = 0.5
MOST_TIME = 1.0
ROUNDS = 3
PAIRS = 14


def plain(queries: Tensor, keys: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """What every code reads, and the attention of all of them."""
    logits = (queries @ keys.transpose(1, 2)).masked_fill(~mask[:, None], -torch.inf)
    attention = logits.softmax(2)  # (B, L, T)
    return attention @ keys, attention


def measure(way: str, labels: int, words: int, charts: int, size: int) -> dict[str, float]:
    """Do one step, here, and say how long it took and how much memory it added at most."""
    torch.manual_seed(0)
    queries = (0.1 * torch.randn(labels, size)).requires_grad_()
    outputs = (0.1 * torch.randn(labels, size)).requires_grad_()
    keys = torch.randn(charts, words, size, requires_grad=True)
    lengths = torch.linspace(words // 2, words, charts).long()
    mask = torch.arange(words) < lengths[:, None]
    gold = (torch.rand(charts, labels) < 0.002).float()
    rows = torch.arange(charts).repeat_interleave(PAIRS)
    codes = torch.arange(len(rows)) * (labels // len(rows))
    evidence = torch.zeros(len(rows), words, dtype=torch.bool)
    evidence[:, 100:103] = True
    before = peak_megabytes()
    begin = time.perf_counter()
    if way == "plain":
        read, attention = plain(queries, keys, mask)
        log_weights = attention[rows, codes].clamp_min(1e-30).log()
    else:
        read = attend(queries, keys, mask)
        log_weights = log_attention(queries, keys, mask, rows, codes)
    loss = code_loss((read * outputs).sum(2), gold) + attention_loss(log_weights, evidence)
    loss.backward()  # type: ignore[no-untyped-call]  # torch publishes no type of it
    seconds = time.perf_counter() - begin
    peak = peak_megabytes() - before
    return {
        "seconds": seconds,
        "megabytes": peak,
        "loss": loss.item(),
        "gradient": float(queries.grad.norm()) if queries.grad is not None else 0.0,
    }


def metric_apart(way: str, sizes: list[str]) -> dict[str, float]:
    """Do it once in a process of its own."""
    command = [sys.executable, __file__, "--one", way, *sizes]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        sys.exit(error.stderr)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def run(sizes: list[str], rounds: int) -> bool:
    """Measure both ways in turn and print; whether both limits are kept."""
    found: dict[str, list[dict[str, float]]] = {"plain": [], "auscult": []}
    for _ in range(rounds):
        for way, results in found.items():
            results.append(metric_apart(way, sizes))
    middle = {
        way: {name: statistics.median(one[name] for one in results) for name in results[0]}
        for way, results in found.items()
    }
    for way, each in middle.items():
        print(f"{way:8} {each['seconds']:7.2f} s {each['megabytes']:8,.0f} MB")
    ours, theirs = middle["auscult"], middle["plain"]
    for name in ("loss", "gradient"):
        if abs(ours[name] - theirs[name]) > 1e-3 * abs(theirs[name]):
            sys.exit(f"not the same {name}: {ours[name]} and {theirs[name]}")
    memory = ours["megabytes"] / theirs["megabytes"]
    seconds = ours["seconds"] / theirs["seconds"]
    is_kept = {
        f"memory {memory:.2f} of plain, wanted less than {MOST_MEMORY}": memory < MOST_MEMORY,
        f"time {seconds:.2f} of plain, wanted at most {MOST_TIME}": seconds <= MOST_TIME,
    }
    for said, kept in is_kept.items():
        print(f"{said}: {'kept' if kept else 'MISSED'}")
    return all(is_kept.values())


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--one", nargs=6, help=argparse.SUPPRESS)
    parser.add_argument("--labels", default="8921")
    parser.add_argument("--words", default="3500")
    parser.add_argument("--charts", default="8")
    parser.add_argument("--size", default="96", help="dimensions of keys and codes")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args()
    if given.one:
        way, *sizes = given.one
        labels, words, charts, size, threads = map(int, sizes)
        torch.set_num_threads(threads)
        print(json.dumps(measure(way, labels, words, charts, size)))
        return
    sizes = [given.labels, given.words, given.charts, given.size, given.threads]
    sys.exit(0 if run(sizes, given.rounds) else 1)


if __name__ == "__main__":
    main()
