"""Batches made ahead, the time of a step by its parts, estimates, and when checkpoints are due."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from auscult.core import AuscultError, OptionError
from auscult.learning import checkpoint
from auscult.learning.checkpoint import Checkpoint, CheckpointWriter, TrainingState
from auscult.learning.devices import chosen_precision
from auscult.learning.step_times import lap
from auscult.learning.training import train
from auscult.learning.training_configuration import TrainingConfiguration
from auscult.learning.training_estimate import estimated

_ITEMS = 22


class _Noisy(nn.Module):
    """A network whose loss depends on its batch and on random numbers, in a known time."""

    def __init__(self, seconds: float = 0.0) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([[0.5, -0.25]]))
        self.dropout = nn.Dropout(0.5)
        self.steps = 0
        self._seconds = seconds

    def forward(self, batch: Tensor) -> Tensor:
        self.steps += 1
        time.sleep(self._seconds)
        seen = self.dropout(batch) @ self.weight.T
        lap("forward")
        loss: Tensor = seen.square().mean()
        return loss


def _noise(places: Sequence[int]) -> Tensor:
    """A batch that is made with random numbers, as one that drops words is."""
    return torch.tensor([[float(at), 1.0] for at in places]) + torch.randn(len(places), 2)


def _trained(network: _Noisy, **given: Any) -> _Noisy:
    config = TrainingConfiguration(**{"batch_size": 4, "epochs": 2, "threads": 1, **given})
    train(network, [1] * _ITEMS, _noise, config, seed=0)
    return network


def test_batches_made_by_other_processes_are_the_same() -> None:
    alone = _trained(_Noisy())
    for workers in (1, 2):
        helped = _trained(_Noisy(), data_workers=workers)
        assert torch.equal(alone.weight, helped.weight)
    assert not torch.equal(alone.weight, _trained(_Noisy(), batch_size=3).weight)


def test_a_worker_that_is_gone_is_explained() -> None:
    trainer = os.getpid()

    def make(places: Sequence[int]) -> Tensor:
        if 7 in places and os.getpid() != trainer:
            os.kill(os.getpid(), signal.SIGKILL)
        return _noise(places)

    config = TrainingConfiguration(batch_size=4, epochs=2, threads=1, data_workers=1)
    with pytest.raises(AuscultError, match="smaller data_workers"):
        train(_Noisy(0.005), [1] * _ITEMS, make, config, seed=0)
    train(_Noisy(), [1] * _ITEMS, make, config.model_copy(update={"data_workers": 0}), seed=0)


def test_workers_where_processes_cannot_fork_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multiprocessing.get_all_start_methods", lambda: ["spawn"])
    with pytest.raises(OptionError, match="cannot fork"):
        _trained(_Noisy(), data_workers=2)


def test_training_resumed_with_workers_in_the_middle_of_an_epoch_ends_the_same(
    tmp_path: Path,
) -> None:
    whole = _trained(_Noisy(), data_workers=1)
    kept = Checkpoint(tmp_path / checkpoint.FILE, "")
    config = TrainingConfiguration(
        batch_size=4, epochs=2, threads=1, data_workers=1, checkpoint_seconds=0.0
    )

    class Stopping(_Noisy):
        def forward(self, batch: Tensor) -> Tensor:
            if self.steps == 9:  # six steps make an epoch
                raise KeyboardInterrupt
            return super().forward(batch)

    with pytest.raises(KeyboardInterrupt):
        train(Stopping(), [1] * _ITEMS, _noise, config, seed=0, checkpoint=kept)
    again = _Noisy()
    train(again, [1] * _ITEMS, _noise, config, seed=0, checkpoint=kept)
    assert again.steps == 3
    assert torch.equal(whole.weight, again.weight)


def test_the_seconds_of_a_training_are_those_of_all_its_processes(tmp_path: Path) -> None:
    config = TrainingConfiguration(batch_size=4, epochs=2, threads=1, checkpoint_seconds=0.0)
    kept = Checkpoint(tmp_path / checkpoint.FILE, "")

    class Slow(_Noisy):
        def __init__(self, last: int = 99) -> None:
            super().__init__()
            self.last = last

        def forward(self, batch: Tensor) -> Tensor:
            if self.steps == self.last:
                raise KeyboardInterrupt
            time.sleep(0.02)
            return super().forward(batch)

    with pytest.raises(KeyboardInterrupt):
        train(Slow(9), [1] * _ITEMS, _noise, config, seed=0, checkpoint=kept)
    resumed = Slow()
    times = train(resumed, [1] * _ITEMS, _noise, config, seed=0, checkpoint=kept)
    assert resumed.steps == 3
    assert times.training_seconds > 12 * 0.02
    # Nothing was left to do, and nothing is added.
    done = train(Slow(0), [1] * _ITEMS, _noise, config, seed=0, checkpoint=kept)
    assert done.training_seconds == times.training_seconds


@pytest.mark.parametrize("spread", [0.3, 0.6, 1.2])
def test_an_estimate_is_near_the_time_that_training_takes(
    spread: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a clock that only a network moves: by the words of its longest chart, for each chart."""
    now = 0.0
    monkeypatch.setattr(time, "perf_counter", lambda: now)

    class Slow(_Noisy):
        def forward(self, batch: Tensor) -> Tensor:
            nonlocal now
            now += 0.1 + float(batch[:, 0].max()) * len(batch) * 1e-3
            return super().forward(batch * 0)

    def evaluate() -> float:
        nonlocal now
        now += 60
        return 0.0

    dice = random.Random(0)
    lengths = [int(dice.lognormvariate(7.2, spread)) + 1 for _ in range(480)]

    def make(places: Sequence[int]) -> Tensor:
        return torch.tensor([[float(lengths[at]), 1.0] for at in places])

    config = TrainingConfiguration(batch_size=4, epochs=1, threads=1)
    found = estimated(lambda: train(Slow(), lengths, make, config, seed=0, evaluate=evaluate))
    assert found is not None
    begin = now
    train(Slow(), lengths, make, config, seed=0, evaluate=evaluate)
    assert found.epoch_seconds == pytest.approx(now - begin, rel=0.1)


def test_the_time_of_a_step_is_told_by_its_parts() -> None:
    config = TrainingConfiguration(batch_size=4, epochs=1, threads=1)
    times = train(_Noisy(0.01), [1] * _ITEMS, _noise, config, seed=0)
    assert times.steps == -(-_ITEMS // 4)
    told = times.to_dict()
    assert list(told) == ["seconds_per_step", "data", "forward", "loss", "backward", "optimizer"]
    assert told["forward"] >= 0.01
    assert told["forward"] > sum(told[part] for part in ("data", "loss", "backward"))
    assert sum(list(told.values())[1:]) == pytest.approx(told["seconds_per_step"])
    assert str(times).startswith(f"{times.per_step:.3g} s per step (data ")


def test_an_estimate_takes_a_few_steps_and_knows_how_many_there_would_be(tmp_path: Path) -> None:
    network, asked = _Noisy(0.005), 0

    def judge() -> float:
        nonlocal asked
        asked += 1
        time.sleep(0.02)
        return 0.0

    config = TrainingConfiguration(batch_size=2, epochs=50, threads=1, checkpoint_seconds=0.0)
    kept = Checkpoint(tmp_path / checkpoint.FILE, "")
    found = estimated(
        lambda: train(
            network, [1] * 200, _noise, config, seed=0, evaluate=judge, checkpoint=kept
        )
    )  # fmt: skip
    assert found is not None
    assert (found.epochs, found.steps, asked) == (50, 100, 1)
    assert network.steps < 20
    assert found.dev_seconds >= 0.02
    assert 100 * 0.005 <= found.epoch_seconds < 10 * 100 * 0.005
    assert found.seconds == 50 * found.epoch_seconds
    assert not list(tmp_path.iterdir())


def test_what_takes_no_steps_has_no_estimate() -> None:
    assert estimated(lambda: None) is None


def test_large_checkpoints_are_written_less_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr("auscult.learning.checkpoint.time.monotonic", lambda: now)
    network = _Noisy()
    optimizer = torch.optim.AdamW(network.parameters())
    kept = Checkpoint(tmp_path / checkpoint.FILE, "")
    save = Checkpoint.save

    def slow(self: Checkpoint, *given: Any) -> None:
        nonlocal now
        save(self, *given)
        now += 10

    monkeypatch.setattr(Checkpoint, "save", slow)
    writer = CheckpointWriter(kept, 60)
    now = 59.0
    assert not writer.is_due()
    assert writer.is_due(at_epoch=True)
    now = 60.0
    assert writer.is_due()
    writer.save(TrainingState(), network, optimizer)
    written = now
    now = written + 199
    assert not writer.is_due()
    assert not writer.is_due(at_epoch=True)
    now = written + 200  # ten seconds are a twentieth of that
    assert writer.is_due()


def test_precision_is_that_of_the_device_unless_it_is_named() -> None:
    cpu = torch.device("cpu")
    assert [chosen_precision(one, cpu) for one in ("auto", "32", "bf16")] == ["32", "32", "bf16"]
