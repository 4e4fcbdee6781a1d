"""Batches prefetched by worker processes, in pinned memory.

The random numbers of a batch follow from its place, whoever makes it, so that the number of workers
changes nothing.
"""

from __future__ import annotations

import multiprocessing
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import torch
from torch.utils.data import DataLoader, Dataset

from auscult.core import AuscultError, OptionError
from auscult.core.threads import allowed
from auscult.learning.devices import seed_torch

_MOST_WORKERS = 4
_AHEAD = 4
"""Number of batches that each worker prefetches."""
_ENDED = re.compile(r"DataLoader worker .*(killed by signal|exited unexpectedly)")
"""Error messages of torch for a worker that died, depending on where the loop was."""


class Movable(Protocol):
    """A batch, which can be moved to another device.

    One that also has `pin_memory` is moved to a GPU while the GPU computes.
    """

    def to(self, device: torch.device) -> Movable: ...


def usual_workers(device: torch.device) -> int:
    """None on a CPU, whose cores are busy with the network itself."""
    if device.type != "cuda" or not _can_fork():
        return 0
    return min(_MOST_WORKERS, max(0, allowed() - 1))


def _can_fork() -> bool:
    return "fork" in multiprocessing.get_all_start_methods()


@contextmanager
def lost_workers_explained() -> Iterator[None]:
    """Explain what happened, and what to do, when a worker process dies."""
    try:
        yield
    except RuntimeError as error:
        if not _ENDED.search(str(error)):
            raise
        raise AuscultError(
            "A worker process that prepares batches was killed, most likely for lack of memory. "
            "Run the command again to resume, with a smaller data_workers, or with 0 to prepare "
            "batches in the training process."
        ) from error


class _Batches(Dataset[Movable]):
    """Batches by index, each made on request."""

    def __init__(
        self,
        places: Sequence[Sequence[int]],
        seeds: Sequence[tuple[object, ...]],
        make: Callable[[Sequence[int]], Movable],
    ) -> None:
        self._places, self._seeds, self._make = places, seeds, make

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, at: int) -> Movable:
        seed_torch(*self._seeds[at])
        return self._make(self._places[at])


def loaded(
    places: Sequence[Sequence[int]],
    seeds: Sequence[tuple[object, ...]],
    make: Callable[[Sequence[int]], Movable],
    workers: int,
    device: torch.device,
) -> Iterator[Movable]:
    """The batches of items at given indices, in order, with the random numbers of their seeds."""
    batches = _Batches(places, seeds, make)
    if not workers:
        yield from (batches[at] for at in range(len(batches)))
        return
    if not _can_fork():
        raise OptionError(
            f"data_workers is {workers}, but this system cannot fork processes. Set it to 0."
        )
    loader: DataLoader[Any] = DataLoader(
        batches,
        batch_size=None,
        num_workers=workers,
        prefetch_factor=_AHEAD,
        pin_memory=device.type == "cuda",
        multiprocessing_context="fork",  # items are shared, not copied
        generator=torch.Generator(),
    )
    yield from loader
