"""Training stops in time, survives being killed, and does not go on from what is not its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import safetensors
import torch
from safetensors.torch import load_file
from tests.models.neural.conftest import CODES, make_charts
from torch import Tensor, nn

from auscult.core import AuscultError, Code
from auscult.core.progress import listening
from auscult.learning import checkpoint
from auscult.learning.checkpoint import Checkpoint
from auscult.learning.training import train
from auscult.learning.training_configuration import TrainingConfiguration
from auscult.models.architecture import TrainingData
from auscult.models.label_space import LabelSpace
from auscult.models.neural.caml import Caml, CamlConfiguration

SMALL = {"embedding_dim": 8, "out_channels": 8, "kernel_size": 3, "batch_size": 2, "threads": 1}
KILLED: dict[str, Any] = {**SMALL, "epochs": 6, "patience": 6, "checkpoint_seconds": 0.0}
_TRAIN = """
import sys
from pathlib import Path
from tests.models.neural.test_training import fit_and_save
fit_and_save(Path(sys.argv[1]), slow=True)
"""
_ROOT = Path(__file__).parents[3]
_BATCHES = 11
"""Of an epoch."""


def fit_and_save(folder: Path, *, slow: bool = False) -> None:
    """Train with checkpoints in a folder, slowly enough to be killed, and save the weights."""
    labels = tiny_labels()
    if slow:
        step = torch.optim.AdamW.step

        def wait(*given: Any, **named: Any) -> Any:
            time.sleep(0.02)
            return step(*given, **named)

        torch.optim.AdamW.step = wait  # type: ignore[method-assign]  # only in this process
    fitted = Caml.fit(
        TrainingData(make_charts(21), make_charts(5, seed=1), labels), CamlConfiguration(**KILLED),
        seed=3, directory=folder,
    )  # fmt: skip
    fitted.save(folder)


class _Mean(nn.Module):
    """A network whose loss is a mean over the items of a batch, which are numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([[0.5, -0.25]]))
        self.sizes: list[int] = []

    def forward(self, batch: Tensor) -> Tensor:
        self.sizes.append(len(batch))
        return (batch @ self.weight.T).square().mean()


def test_gradients_of_small_batches_add_up_to_those_of_a_large_one() -> None:
    numbers = torch.randn(22, 2, generator=torch.Generator().manual_seed(0))

    def trained(batch_size: int, steps: int) -> _Mean:
        network = _Mean()
        config = TrainingConfiguration(
            batch_size=batch_size, gradient_accumulation_steps=steps, epochs=3, threads=1
        )
        train(network, [1] * 22, lambda places: numbers[list(places)], config, seed=0)
        return network

    whole, parts = trained(8, 1), trained(2, 4)
    assert max(parts.sizes) == 2 < max(whole.sizes) == 8
    torch.testing.assert_close(whole.weight, parts.weight)
    assert not torch.equal(whole.weight, trained(2, 1).weight)


def tiny_labels() -> LabelSpace:

    return LabelSpace(tuple(Code("ICD-9-CM", value) for value in CODES), (1,) * len(CODES))


def test_killed_in_the_middle_it_ends_with_the_same_weights_bit_for_bit(tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    fit_and_save(whole)
    process = subprocess.Popen([sys.executable, "-c", _TRAIN, str(broken)], cwd=_ROOT)
    while process.poll() is None and standing(broken / checkpoint.FILE) < _BATCHES + 4:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    at = standing(broken / checkpoint.FILE)
    assert at % _BATCHES, "killed between two epochs, which is too easy"
    assert at < KILLED["epochs"] * _BATCHES
    with heard() as told:
        fit_and_save(broken)
    assert f"training, resumed in epoch {at // _BATCHES + 1}" in told
    one, other = load_file(whole / "weights.safetensors"), load_file(broken / "weights.safetensors")
    assert one.keys() == other.keys()
    assert all(torch.equal(value, other[name]) for name, value in one.items())


@contextmanager
def heard() -> Iterator[list[str]]:
    """What a progress bar would be headed with."""
    told: list[str] = []

    def listen(items: Any, what: str, _total: int | None) -> Any:
        told.append(what)
        return items

    with listening(listen):
        yield told


def standing(file: Path) -> int:
    """Steps that are over, by the checkpoint."""
    if not file.exists():
        return 0
    opened: Any = safetensors.safe_open(str(file), framework="pt")
    with opened as handle:
        known = json.loads(handle.metadata()["state"])
    return int(known["epoch"]) * _BATCHES + int(known["batch"])


def test_started_again_after_its_end_it_does_nothing_and_has_the_same_weights(
    tmp_path: Path,
) -> None:
    fit_and_save(tmp_path)
    before = load_file(tmp_path / "weights.safetensors")
    with heard() as told:
        fit_and_save(tmp_path)
    after = load_file(tmp_path / "weights.safetensors")
    assert all(torch.equal(value, after[name]) for name, value in before.items())
    assert not any("epoch" in what for what in told)


def test_a_checkpoint_of_other_charts_or_another_seed_is_refused(tmp_path: Path) -> None:
    config = CamlConfiguration(**SMALL, epochs=1)
    labels = tiny_labels()
    Caml.fit(TrainingData(make_charts(4), [], labels), config, seed=0, directory=tmp_path)
    for charts, seed in ((make_charts(4), 1), (make_charts(5), 0)):
        with pytest.raises(AuscultError, match="belongs to another training"):
            Caml.fit(TrainingData(charts, [], labels), config, seed=seed, directory=tmp_path)
    judged = tmp_path / "judged"
    Caml.fit(
        TrainingData(make_charts(4), make_charts(3, seed=1), labels),
        config,
        seed=0,
        directory=judged,
    )
    with pytest.raises(AuscultError, match="belongs to another training"):
        Caml.fit(
            TrainingData(make_charts(4), make_charts(3, seed=2), labels),
            config,
            seed=0,
            directory=judged,
        )
    # How often checkpoints are written is not what is learned.
    often = config.model_copy(update={"checkpoint_seconds": 0.0})
    Caml.fit(TrainingData(make_charts(4), [], labels), often, seed=0, directory=tmp_path)


@pytest.mark.parametrize("damage", [b"", b"no tensors here", b"\x08" + b"\x00" * 7 + b"{}      "])
def test_a_damaged_checkpoint_is_an_error_that_says_what_to_do(
    damage: bytes, tmp_path: Path
) -> None:
    (tmp_path / checkpoint.FILE).write_bytes(damage)
    config = CamlConfiguration(**SMALL, epochs=1)
    with pytest.raises(AuscultError, match=r"Remove it"):
        Caml.fit(
            TrainingData(make_charts(4), [], tiny_labels()), config, seed=0, directory=tmp_path
        )


class Slope(nn.Module):
    """Loss falls with every step, for ever."""

    def __init__(self) -> None:
        super().__init__()
        self.height = nn.Parameter(torch.ones(1))

    def forward(self, batch: Tensor) -> Tensor:
        return (self.height * batch).sum()


def run(slope: Slope, scores: list[float], **given: Any) -> list[float]:
    """Train on a slope with a judge that gives these scores; the height when it was asked."""
    heights: list[float] = []

    def judge() -> float:
        heights.append(slope.height.item())
        return scores[len(heights) - 1]

    config = TrainingConfiguration(**{"epochs": 8, "patience": 2, "threads": 1, **given})
    train(slope, [1] * 4, lambda _: torch.ones(1), config, seed=0, evaluate=judge)
    return heights


def test_it_stops_after_patience_epochs_without_a_better_score_and_keeps_the_best() -> None:
    slope = Slope()
    heights = run(slope, [0.1, 0.5, 0.4, 0.5, 0.9])
    assert len(heights) == 4
    assert slope.height.item() == heights[1]


def test_while_scores_rise_it_goes_on_to_the_last_epoch() -> None:
    slope = Slope()
    heights = run(slope, [at / 10 for at in range(8)])
    assert len(heights) == 8
    assert slope.height.item() == heights[-1]


def test_a_loss_that_is_no_number_is_an_error_that_names_the_learning_rate() -> None:
    slope = Slope()
    with torch.no_grad():
        slope.height.fill_(torch.inf)
    with pytest.raises(AuscultError, match="learning_rate"):
        run(slope, [0.0] * 8)


def test_whoever_listens_hears_of_epochs_loss_and_score() -> None:
    told: list[tuple[str, int | None]] = []

    def listen(items: Any, what: str, total: int | None) -> Any:
        told.append((what, total))
        return items

    config = CamlConfiguration(**SMALL, epochs=2)
    with listening(listen):
        Caml.fit(
            TrainingData(make_charts(5), make_charts(3, seed=1), tiny_labels()), config, seed=0
        )
    assert ("training", 2) in told
    assert ("epoch 1 of 2", 3) in told
    second = next(what for what, _ in told if what.startswith("epoch 2 of 2"))
    assert "loss" in second
    assert "micro-F1" in second


def test_the_number_of_threads_is_as_it_was() -> None:
    torch.set_num_threads(2)
    Caml.fit(
        TrainingData(make_charts(4), [], tiny_labels()),
        CamlConfiguration(**SMALL, epochs=1),
        seed=0,
    )
    assert torch.get_num_threads() == 2


def test_a_draft_of_a_checkpoint_is_no_checkpoint(tmp_path: Path) -> None:
    file = tmp_path / checkpoint.FILE
    file.with_name(f".{file.name}.draft").write_bytes(b"half of it")
    slope = Slope()
    optimizer = torch.optim.AdamW(slope.parameters())
    assert Checkpoint(file, "").load(slope, optimizer).epoch == 0
