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

import torch
from torch import nn

from auscult.core import AuscultError
from auscult.core.progress import track
from auscult.learning import replicas, training_estimate
from auscult.learning.batch_loading import Movable, lost_workers_explained
from auscult.learning.batch_order import order
from auscult.learning.checkpoint import Checkpoint, CheckpointWriter, TrainingState
from auscult.learning.devices import fast_products, find_device, isolated_random_state, threads
from auscult.learning.step_times import StepTimes
from auscult.learning.steps import TrainingSteps
from auscult.learning.training_configuration import TrainingConfiguration
from auscult.learning.training_estimate import TrainingEstimate

_LOOK = 50
"""Steps between two looks at the loss on a device that works through a queue."""
_ESTIMATED = 12
"""Steps that an estimate measures."""


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
) -> StepTimes:
    """Train a network whose `forward` takes a batch and returns its loss; keep the best weights.

    Item i has the length `lengths[i]`, and `make` collates the items at some indices into a batch.
    `evaluate` scores the network after each epoch, for early stopping; without it the last weights
    are kept. `tell` formats the best score for the progress label. With a checkpoint, training
    resumes from it. Among replicas (`replicas.py`) this process does its share, and the first one
    evaluates and saves. Returns where the time of the steps went.
    """
    rank, count = replicas.rank_and_size()
    if checkpoint and count > 1:
        checkpoint = replace(checkpoint, fingerprint=f"{checkpoint.fingerprint}/{count}")
    device = find_device(config.device)
    with (
        threads(config.threads),
        isolated_random_state(device),
        fast_products(device),
        lost_workers_explained(),
    ):
        steps = TrainingSteps(network, make, config, seed, rank)
        if asked := training_estimate.asked():
            asked.found(_estimate(steps, lengths, evaluate))
        state = TrainingState()
        if checkpoint:
            state = checkpoint.load(network, steps.optimizer.optimizer)
        since = time.monotonic() - state.seconds  # as if all of it had been in this process
        saved = CheckpointWriter(checkpoint if rank == 0 else None, config.checkpoint_seconds)
        for epoch in _epochs(state, config):
            network.train()
            batches = _batches(lengths, config, seed, epoch)
            left = range(state.batch, len(batches))
            total = torch.tensor(state.loss, device=steps.device)
            made = steps.prepared(batches, left, epoch)
            for at in track(left, _describe(state, config, tell), len(left)):
                total += steps.take(made, batches[at], epoch, at, epoch + at / len(batches))
                state.batch = at + 1
                is_due = saved.is_due()
                # Looked at now and then: a GPU has to finish all its work before it can say.
                if is_due or not steps.is_ahead or not state.batch % _LOOK or at == left[-1]:
                    state.loss = float(total)
                    _check(state, config, epoch)
                if is_due:
                    state.seconds = time.monotonic() - since
                    saved.save(state, network, steps.optimizer.optimizer)
            network.eval()
            state.last_loss = state.loss / len(batches)
            replicas.same_buffers(network)
            _close(state, network, config, evaluate)
            state.seconds = time.monotonic() - since
            if state.is_over or saved.is_due(at_epoch=True):
                saved.save(state, network, steps.optimizer.optimizer)
        network.load_state_dict(state.best_weights)
        network.eval()
        steps.times.elapsed = state.seconds
    return steps.times


def _batches(
    lengths: Sequence[int], config: TrainingConfiguration, seed: int, epoch: int
) -> list[list[int]]:
    size = config.batch_size * config.gradient_accumulation_steps
    return order(lengths, size, seed=seed, epoch=epoch)


def _check(state: TrainingState, config: TrainingConfiguration, epoch: int) -> None:
    if not math.isfinite(state.loss):
        raise AuscultError(
            f"The loss became NaN or infinite in epoch {epoch + 1}. Lower "
            f"learning_rate (now {config.learning_rate:g})."
        )


def _estimate(
    steps: TrainingSteps, lengths: Sequence[int], evaluate: Callable[[], float] | None
) -> TrainingEstimate:
    """Take a few steps, of batches of every length, and say how long all of them should take."""
    config = steps.config
    batches = _batches(lengths, config, steps.seed, 0)
    by_length = sorted(range(len(batches)), key=lambda at: max(lengths[i] for i in batches[at]))
    count = min(len(batches), _ESTIMATED)
    numbers = [by_length[(2 * i + 1) * len(batches) // (2 * count)] for i in range(count)]
    steps.network.train()
    for is_warm in (False, True):
        chosen = numbers if is_warm else numbers[-1:]
        steps.times = StepTimes()
        made = steps.prepared(batches, chosen, 0)
        for at in track(chosen, "measuring steps", len(chosen)):
            steps.take(made, batches[at], 0, at, 0.0)
    steps.network.eval()
    begin = time.perf_counter()
    if evaluate is not None:
        evaluate()
    dev = time.perf_counter() - begin
    return TrainingEstimate(config.epochs, len(batches), steps.times, dev)


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
