"""The steps of a training run: batches, loss, gradients, optimizer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from auscult.learning import replicas
from auscult.learning.batch_loading import Movable, loaded, usual_workers
from auscult.learning.devices import chosen_precision, find_device, seed_torch
from auscult.learning.step_times import StepTimes, lap, timed
from auscult.learning.training_configuration import TrainingConfiguration


class TrainingSteps:
    """The steps of one training run, on its device."""

    def __init__(
        self,
        network: nn.Module,
        make: Callable[[Sequence[int]], Movable],
        config: TrainingConfiguration,
        seed: int,
        rank: int,
    ) -> None:
        # Costs more than a second to import, which whoever only reads charts need not wait for.
        from lightning_fabric import Fabric

        device = find_device(config.device)
        is_half = chosen_precision(config.precision, device) == "bf16"
        self._fabric = Fabric(
            accelerator=device.type,
            devices=1 if device.index is None else [device.index],
            precision="bf16-mixed" if is_half else "32-true",
        )
        self._model, self.optimizer = self._fabric.setup(
            network, optimizer_of(network, config, device)
        )
        self.device: torch.device = self._fabric.device
        self.is_ahead = self.device.type != "cpu"
        """Whether the device runs asynchronously, as a GPU does."""
        self.times = StepTimes()
        self.network, self.config, self.seed = network, config, seed
        self._make, self._ranks = make, [rank] if rank else []

    def prepared(
        self, batches: Sequence[Sequence[int]], numbers: Sequence[int], epoch: int
    ) -> Iterator[Movable]:
        """The batches of the given steps, prefetched where that helps."""
        parts = [(at, part) for at in numbers for part in enumerate(self._parts(batches[at]))]
        workers = self.config.data_workers
        return loaded(
            [places for _, (_, places) in parts],
            [self._seeds(epoch, at, number) for at, (number, _) in parts],
            self._make,
            usual_workers(self.device) if workers is None else workers,
            self.device,
        )

    def take(
        self,
        made: Iterator[Movable],
        places: Sequence[int],
        epoch: int,
        at: int,
        position: float,
        *,
        is_timed: bool = True,
    ) -> Tensor:
        """One step; returns its loss."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.learning_rate * rate(position, self.config)
        lost = torch.zeros((), device=self.device)
        with timed(self.times, self.device) if is_timed else nullcontext():
            for number, some in enumerate(self._parts(places)):
                batch = next(made).to(self.device)
                lap("data")
                seed_torch(*self._seeds(epoch, at, number))
                # Not through the wrapped model, which converts what it is given and refuses
                # frozen ones.
                with self._fabric.autocast():
                    loss: Tensor = self.network(batch)
                if len(some) < len(places):
                    loss = loss * (len(some) / len(places))
                lap("loss")
                self._fabric.backward(loss)
                lap("backward")
                lost += loss.detach()
            lost = replicas.add_up(self.network, lost)
            self._fabric.clip_gradients(
                self._model, self.optimizer,
                max_norm=self.config.max_grad_norm, error_if_nonfinite=False,
            )  # fmt: skip
            self.optimizer.step()
            self.optimizer.zero_grad()
            lap("optimizer")
        return lost

    def _parts(self, places: Sequence[int]) -> list[list[int]]:
        """This replica's share of a step: one batch per gradient accumulation step."""
        mine, size = replicas.share_of(places), self.config.batch_size
        return [mine[begin : begin + size] for begin in range(0, len(mine), size)]

    def _seeds(self, epoch: int, at: int, number: int) -> tuple[object, ...]:
        return (self.seed, "step", epoch, at, *self._ranks, *(["part", number] if number else []))


def rate(position: float, config: TrainingConfiguration) -> float:
    """Factor of the learning rate after a number of epochs, as in the schedules of Transformers.

    >>> settings = TrainingConfiguration(epochs=10, warmup_ratio=0.1)
    >>> [round(rate(position, settings), 2) for position in (0, 0.5, 1, 5.5, 10)]
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    share, warmup, schedule = (
        position / config.epochs,
        config.warmup_ratio,
        config.lr_scheduler_type,
    )
    if schedule == "constant":
        return 1.0
    if share < warmup:
        return share / warmup
    if schedule == "constant_with_warmup":
        return 1.0
    done = (share - warmup) / (1 - warmup)
    return 1 - done if schedule == "linear" else (1 + math.cos(math.pi * done)) / 2


def optimizer_of(
    network: nn.Module, config: TrainingConfiguration, device: torch.device
) -> torch.optim.Optimizer:
    parameters = [each for each in network.parameters() if each.requires_grad]
    groups: list[dict[str, Any]] = [
        {"params": [each for each in parameters if each.ndim > 1]},
        # Biases and norms are left to themselves.
        {"params": [each for each in parameters if each.ndim <= 1], "weight_decay": 0.0},
    ]
    fused = device.type in ("cpu", "cuda")
    if config.optimizer == "adam":
        return torch.optim.Adam(parameters, lr=config.learning_rate, fused=fused)
    return torch.optim.AdamW(
        groups,
        lr=config.learning_rate,
        weight_decay=config.weight_decay,
        fused=fused,
    )
