"""The training loop that everything neural shares.

Killed at any moment and started again with the same directory, it ends with the weights it would
have had: whatever is random follows from the seed and the number of the step, and the checkpoint
has the rest. (Bit for bit on a CPU with the same number of threads.)
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, Protocol

import torch
from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn

from auscult.core import AuscultError
from auscult.core.progress import track
from auscult.learning import replicas
from auscult.learning.checkpoint import Checkpoint, Standing
from auscult.learning.devices import find_device, own_dice, threads, throw
from auscult.learning.order import order


class TrainingConfiguration(BaseModel):
    """How a network is trained."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    batch: int = Field(8, ge=1, description="Charts a step.")
    epochs: int = Field(15, ge=1, description="Times every chart is seen, unless stopped early.")
    patience: int = Field(
        5, ge=1, description="Epochs without a better result on dev before training stops."
    )
    learning_rate: float = Field(2e-3, gt=0, description="The largest; it rises, then falls to 0.")
    warmup: float = Field(0.1, ge=0, lt=1, description="Share of the steps in which it rises.")
    weight_decay: float = Field(0.01, ge=0, description="AdamW's.")
    clip: float = Field(1.0, gt=0, description="The largest norm of the gradient.")
    device: str = Field("auto", description="auto, cpu, cuda, cuda:1…")
    precision: Literal["32", "bf16"] = Field(
        "32", description="bf16 halves time and memory on GPUs that have it."
    )
    threads: int | None = Field(None, ge=1, description="Threads on a CPU; all cores by default.")
    checkpoint_seconds: float = Field(
        60.0, ge=0, description="Seconds of work that being killed may lose."
    )


class Movable(Protocol):
    """A batch of whatever the network takes."""

    def to(self, device: torch.device) -> Movable: ...


def train(
    network: nn.Module,
    lengths: Sequence[int],
    make: Callable[[Sequence[int]], Movable],
    config: TrainingConfiguration,
    *,
    seed: int,
    judge: Callable[[], float] | None = None,
    tell: Callable[[float], str] = "best {:.4f}".format,
    checkpoint: Checkpoint | None = None,
) -> None:
    """Train a network whose `forward` takes a batch and returns its loss; keep the best weights.

    Item i is `lengths[i]` long, and `make` makes a batch of the items at some places. `judge`
    says after each epoch how good the network is; without it the last weights are the best; `tell`
    puts the best so far into words. With a checkpoint, training goes on from where it was. Among
    replicas (`replicas.py`) this process does its share, and the first one judges and saves.
    """
    # Costs more than a second to import, which whoever only reads charts need not wait for.
    from lightning_fabric import Fabric

    device = find_device(config.device)
    fabric = Fabric(
        accelerator=device.type,
        devices=1 if device.index is None else [device.index],
        precision="bf16-mixed" if config.precision == "bf16" else "32-true",
    )
    rank, count = replicas.standing()
    if checkpoint and count > 1:
        checkpoint = replace(checkpoint, fingerprint=f"{checkpoint.fingerprint}/{count}")
    with threads(config.threads), own_dice(device):
        model, optimiser = fabric.setup(network, _optimiser(network, config))
        standing = checkpoint.load(network, optimiser.optimizer) if checkpoint else Standing()
        saved = time.monotonic()

        def save(*, is_due: bool = True) -> None:
            nonlocal saved
            is_due = is_due or time.monotonic() - saved >= config.checkpoint_seconds
            if checkpoint and is_due and rank == 0:
                checkpoint.save(standing, network, optimiser.optimizer)
                saved = time.monotonic()

        for epoch in _epochs(standing, config):
            network.train()
            batches = order(lengths, config.batch, seed=seed, epoch=epoch)
            left = range(standing.batch, len(batches))
            for at in track(left, _describe(standing, config, tell), len(left)):
                throw(seed, "step", epoch, at, *([rank] if rank else []))
                for group in optimiser.param_groups:
                    group["lr"] = config.learning_rate * rate(epoch + at / len(batches), config)
                mine = replicas.share_of(batches[at])
                lost = 0.0
                if mine:
                    batch = make(mine).to(fabric.device)
                    # Not through `model`, which converts what it is given and refuses frozen ones.
                    with fabric.autocast():
                        loss: Tensor = network(batch)
                    if count > 1:
                        loss = loss * (len(mine) / len(batches[at]))
                    fabric.backward(loss)
                    lost = loss.item()
                lost = replicas.add_up(network, lost)
                fabric.clip_gradients(model, optimiser, max_norm=config.clip)
                optimiser.step()
                optimiser.zero_grad()
                standing.loss += lost
                if not math.isfinite(standing.loss):
                    raise AuscultError(
                        f"The loss is no longer a number in epoch {epoch + 1}. Lower learning_rate "
                        f"(now {config.learning_rate:g})."
                    )
                standing.batch = at + 1
                save(is_due=False)
            network.eval()
            standing.last_loss = standing.loss / len(batches)
            replicas.same_buffers(network)
            _close(standing, network, config, judge)
            save()
        network.load_state_dict(standing.best_weights)
        network.eval()


def rate(position: float, config: TrainingConfiguration) -> float:
    """The share of the largest learning rate after so many epochs: up in a line, down a cosine.

    >>> settings = TrainingConfiguration(epochs=10, warmup=0.1)
    >>> [round(rate(position, settings), 2) for position in (0, 0.5, 1, 5.5, 10)]
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    share, warmup = position / config.epochs, config.warmup
    if share < warmup:
        return share / warmup
    return (1 + math.cos(math.pi * (share - warmup) / (1 - warmup))) / 2


def _optimiser(network: nn.Module, config: TrainingConfiguration) -> torch.optim.Optimizer:
    parameters = [each for each in network.parameters() if each.requires_grad]
    groups: list[dict[str, Any]] = [
        {"params": [each for each in parameters if each.ndim > 1]},
        # Biases and norms are left to themselves.
        {"params": [each for each in parameters if each.ndim <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=config.learning_rate, weight_decay=config.weight_decay)


def _epochs(standing: Standing, config: TrainingConfiguration) -> Iterator[int]:
    """The epochs that are left, until training is over."""
    left = range(standing.epoch, config.epochs)
    is_resumed = (standing.epoch or standing.batch) and not standing.is_over
    what = f"training, resumed in epoch {standing.epoch + 1}" if is_resumed else "training"
    for epoch in track(left, what, len(left)):
        if standing.is_over:
            break
        yield epoch


def _close(
    standing: Standing,
    network: nn.Module,
    config: TrainingConfiguration,
    judge: Callable[[], float] | None,
) -> None:
    """End an epoch: judge the weights, keep them if they are the best, see whether to stop."""
    score = None if judge is None else replicas.agreed(judge)
    standing.epoch, standing.batch, standing.loss = standing.epoch + 1, 0, 0.0
    if score is None or standing.best is None or score > standing.best:
        standing.best, standing.best_epoch = score, standing.epoch
        standing.best_weights = {
            name: value.detach().clone() for name, value in network.state_dict().items()
        }
    late = standing.epoch - standing.best_epoch >= config.patience
    standing.is_over = late or standing.epoch >= config.epochs


def _describe(
    standing: Standing, config: TrainingConfiguration, tell: Callable[[float], str]
) -> str:
    said = f"epoch {standing.epoch + 1} of {config.epochs}"
    if standing.last_loss is not None:
        said += f", loss {standing.last_loss:.4f}"
    if standing.best is not None:
        said += f", {tell(standing.best)}"
    return said
