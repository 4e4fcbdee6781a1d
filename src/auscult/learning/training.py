"""The training loop of all neural networks.

Killed at any moment and started again with the same directory, it ends with the same weights: all
random numbers follow from the seed and the step number, and the checkpoint has the rest. (Bit for
bit on a CPU with the same number of threads.)
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
from auscult.learning.batch_order import order
from auscult.learning.checkpoint import Checkpoint, TrainingState
from auscult.learning.devices import find_device, isolated_random_state, seed_torch, threads


class TrainingConfiguration(BaseModel):
    """Hyperparameters of training."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    batch_size: int = Field(8, ge=1, description="Number of examples in a batch.")
    gradient_accumulation_steps: int = Field(
        1,
        ge=1,
        description="Number of batches whose gradients are added up before a step, where a larger "
        "batch does not fit in memory.",
    )
    epochs: int = Field(15, ge=1, description="Maximum number of epochs.")
    patience: int = Field(
        5, ge=1, description="Epochs without improvement on dev before training stops."
    )
    learning_rate: float = Field(
        2e-3, gt=0, description="Peak learning rate; it warms up linearly and decays as a cosine."
    )
    warmup_ratio: float = Field(0.1, ge=0, lt=1, description="Fraction of the steps for warmup.")
    weight_decay: float = Field(0.01, ge=0, description="Weight decay of AdamW.")
    max_grad_norm: float = Field(1.0, gt=0, description="Maximum norm for gradient clipping.")
    device: str = Field("auto", description="Device to train on: auto, cpu, cuda, cuda:1…")
    precision: Literal["32", "bf16"] = Field(
        "32", description="Floating-point precision; bf16 halves time and memory on recent GPUs."
    )
    threads: int | None = Field(
        None, ge=1, description="Number of CPU threads; default: all cores."
    )
    checkpoint_seconds: float = Field(
        60.0, ge=0, description="Seconds between checkpoints, to resume from after an interruption."
    )


class Movable(Protocol):
    """A batch, which can be moved to another device."""

    def to(self, device: torch.device) -> Movable: ...


def train(
    network: nn.Module,
    lengths: Sequence[int],
    make: Callable[[Sequence[int]], Movable],
    config: TrainingConfiguration,
    *,
    seed: int,
    evaluate: Callable[[], float] | None = None,
    tell: Callable[[float], str] = "best {:.4f}".format,
    checkpoint: Checkpoint | None = None,
) -> None:
    """Train a network whose `forward` takes a batch and returns its loss; keep the best weights.

    Item i has the length `lengths[i]`, and `make` collates the items at some indices into a batch.
    `evaluate` scores the network after each epoch, for early stopping; without it the last weights
    are kept. `tell` formats the best score for the progress label. With a checkpoint, training
    resumes from it. Among replicas (`replicas.py`) this process does its share, and the first one
    evaluates and saves.
    """
    # Costs more than a second to import, which whoever only reads charts need not wait for.
    from lightning_fabric import Fabric

    device = find_device(config.device)
    fabric = Fabric(
        accelerator=device.type,
        devices=1 if device.index is None else [device.index],
        precision="bf16-mixed" if config.precision == "bf16" else "32-true",
    )
    rank, count = replicas.rank_and_size()
    if checkpoint and count > 1:
        checkpoint = replace(checkpoint, fingerprint=f"{checkpoint.fingerprint}/{count}")
    with threads(config.threads), isolated_random_state(device):
        model, optimizer = fabric.setup(network, _optimizer(network, config))
        state = checkpoint.load(network, optimizer.optimizer) if checkpoint else TrainingState()
        saved = time.monotonic()

        def save(*, is_due: bool = True) -> None:
            nonlocal saved
            is_due = is_due or time.monotonic() - saved >= config.checkpoint_seconds
            if checkpoint and is_due and rank == 0:
                checkpoint.save(state, network, optimizer.optimizer)
                saved = time.monotonic()

        for epoch in _epochs(state, config):
            network.train()
            size = config.batch_size * config.gradient_accumulation_steps
            batches = order(lengths, size, seed=seed, epoch=epoch)
            left = range(state.batch, len(batches))
            for at in track(left, _describe(state, config, tell), len(left)):
                seed_torch(seed, "step", epoch, at, *([rank] if rank else []))
                for group in optimizer.param_groups:
                    group["lr"] = config.learning_rate * rate(epoch + at / len(batches), config)
                losses: list[Tensor] = []
                mine = replicas.share_of(batches[at])
                for begin in range(0, len(mine), config.batch_size):
                    some = mine[begin : begin + config.batch_size]
                    batch = make(some).to(fabric.device)
                    # Not through `model`, which converts what it is given and refuses frozen ones.
                    with fabric.autocast():
                        loss: Tensor = network(batch)
                    if len(some) < len(batches[at]):
                        loss = loss * (len(some) / len(batches[at]))
                    fabric.backward(loss)
                    losses.append(loss.detach())
                # Asked once a step: on a GPU, it waits until all is computed.
                lost = float(torch.stack(losses).sum()) if losses else 0.0
                lost = replicas.add_up(network, lost)
                fabric.clip_gradients(model, optimizer, max_norm=config.max_grad_norm)
                optimizer.step()
                optimizer.zero_grad()
                state.loss += lost
                if not math.isfinite(state.loss):
                    raise AuscultError(
                        f"The loss became NaN or infinite in epoch {epoch + 1}. Lower "
                        f"learning_rate (now {config.learning_rate:g})."
                    )
                state.batch = at + 1
                save(is_due=False)
            network.eval()
            state.last_loss = state.loss / len(batches)
            replicas.same_buffers(network)
            _close(state, network, config, evaluate)
            save()
        network.load_state_dict(state.best_weights)
        network.eval()


def rate(position: float, config: TrainingConfiguration) -> float:
    """Factor of the learning rate after so many epochs: linear warmup, then cosine decay.

    >>> settings = TrainingConfiguration(epochs=10, warmup_ratio=0.1)
    >>> [round(rate(position, settings), 2) for position in (0, 0.5, 1, 5.5, 10)]
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    share, warmup = position / config.epochs, config.warmup_ratio
    if share < warmup:
        return share / warmup
    return (1 + math.cos(math.pi * (share - warmup) / (1 - warmup))) / 2


def _optimizer(network: nn.Module, config: TrainingConfiguration) -> torch.optim.Optimizer:
    parameters = [each for each in network.parameters() if each.requires_grad]
    groups: list[dict[str, Any]] = [
        {"params": [each for each in parameters if each.ndim > 1]},
        # Biases and norms are left to themselves.
        {"params": [each for each in parameters if each.ndim <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=config.learning_rate, weight_decay=config.weight_decay)


def _epochs(state: TrainingState, config: TrainingConfiguration) -> Iterator[int]:
    """The remaining epochs, until training is over."""
    left = range(state.epoch, config.epochs)
    is_resumed = (state.epoch or state.batch) and not state.is_over
    what = f"training, resumed in epoch {state.epoch + 1}" if is_resumed else "training"
    for epoch in track(left, what, len(left)):
        if state.is_over:
            break
        yield epoch


def _close(
    state: TrainingState,
    network: nn.Module,
    config: TrainingConfiguration,
    evaluate: Callable[[], float] | None,
) -> None:
    """End an epoch: evaluate, keep the best weights, and decide whether to stop."""
    score = None if evaluate is None else replicas.agreed(evaluate)
    state.epoch, state.batch, state.loss = state.epoch + 1, 0, 0.0
    if score is None or state.best is None or score > state.best:
        state.best, state.best_epoch = score, state.epoch
        state.best_weights = {
            name: value.detach().clone() for name, value in network.state_dict().items()
        }
    late = state.epoch - state.best_epoch >= config.patience
    state.is_over = late or state.epoch >= config.epochs


def _describe(
    state: TrainingState, config: TrainingConfiguration, tell: Callable[[float], str]
) -> str:
    label = f"epoch {state.epoch + 1} of {config.epochs}"
    if state.last_loss is not None:
        label += f", loss {state.last_loss:.4f}"
    if state.best is not None:
        label += f", {tell(state.best)}"
    return label
