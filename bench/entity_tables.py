"""Tables of what systems that find and read concepts are worth, for entities.py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auscult.core import Metric
from auscult.evaluate.entities import EntitiesResult

_PEERS = ("QuickUMLS", "MedCAT")


def say_tuning(step: str, tuning: Mapping[str, Any], took: float) -> None:
    """What a linker measured of itself, and the seconds it took."""
    print(
        f"{step}: out of fold {tuning['first_is_right']:.3f}, exactly "
        f"{tuning['exactly_right']:.3f}, within reach {tuning['within_reach']:.3f}, calibration "
        f"error {tuning['calibration_error']:.3f}; {took:.0f} s of processor\n",
        flush=True,
    )


def subsets(result: EntitiesResult) -> None:
    """Every system on every subset."""
    print("| | " + " | ".join(result.subsets) + " |")
    print("| --- |" + " ---: |" * len(result.subsets))
    print("| spans | " + " | ".join(f"{row.n:,}" for row in result.subsets.values()) + " |")
    for name in result.systems:
        cells = [cell(row.systems[name]) for row in result.subsets.values()]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def cui_less(result: EntitiesResult) -> None:
    """How well systems say that no concept fits."""
    print("\n| | CUI-less precision | recall | F1 | F1, seen text | F1, unseen text |")
    print("| --- |" + " ---: |" * 5)
    for name, system in result.systems.items():
        of, by_text = system.cui_less, system.cui_less_by_text
        cells = [of.precision, of.recall, of.f1]
        cells += [by_text[kind].f1 for kind in ("seen", "unseen")]
        print(f"| {name} | " + " | ".join(map(cell, cells)) + " |")
    print(flush=True)


def against(result: EntitiesResult, ours: str) -> None:
    """The differences between a system and the peers, on every subset."""
    print(f"{ours}, less the peer, by the same resamples:\n")
    for of, pairs in result.compared.items():
        for pair in pairs:
            peer = pair.second if pair.first == ours else pair.first
            found = pair.comparison.difference
            if ours in (pair.first, pair.second) and peer in _PEERS and found.interval is not None:
                sign = 1 if pair.first == ours else -1
                low, high = sorted(sign * end for end in found.interval)
                less = sign * (found.value or 0.0)
                print(f"- {of}, {peer}: {less:.3f} ({low:.3f} to {high:.3f})")
    print(flush=True)


def cell(metric: Metric) -> str:
    """A metric with its interval."""
    if metric.value is None:
        return "–"
    if metric.interval is None:
        return f"{metric.value:.3f}"
    low, high = metric.interval
    return f"{metric.value:.3f} ({low:.2f}–{high:.2f})"
