"""Batches of items of similar length, in an order that depends only on the seed."""

from __future__ import annotations

import random
from collections.abc import Sequence

from auscult.core.randomness import shuffled

_WINDOW = 32
"""Number of batches sorted by length together: many enough to pad little, few enough to mix."""


def order(lengths: Sequence[int], size: int, *, seed: int, epoch: int) -> list[list[int]]:
    """The batches of an epoch, as places of items: shuffled, yet alike in length within a batch.

    Items are shuffled, sorted by length within windows of many batches, cut into batches, and the
    batches shuffled. Every item is in one batch.

    >>> order([5, 50, 6, 51], 2, seed=0, epoch=0)
    [[0, 2], [1, 3]]
    """
    dice = random.Random(f"{seed}/{epoch}")
    mixed = shuffled(range(len(lengths)), dice)
    batches: list[list[int]] = []
    for begin in range(0, len(mixed), size * _WINDOW):
        window = sorted(mixed[begin : begin + size * _WINDOW], key=lengths.__getitem__)
        batches += [window[at : at + size] for at in range(0, len(window), size)]
    return [batches[at] for at in shuffled(range(len(batches)), dice)]
