"""Checkpoints: the state of a training run in one file, replaced atomically.

Nothing else is needed to resume: the order of the charts and the random numbers of each step follow
from the seed and the step number.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import safetensors
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from auscult.core import AuscultError

FILE = "checkpoint.safetensors"
_WRITING = 0.05
"""Maximum share of the training time spent on writing checkpoints."""
_NOW, _BEST, _OPTIMIZER = "now/", "best/", "optimizer/"


@dataclass
class TrainingState:
    """Epochs and batches done, and the best weights so far with their score."""

    epoch: int = 0
    batch: int = 0
    loss: float = 0.0
    """The sum over the batches of this epoch."""
    last_loss: float | None = None
    """The mean over the batches of the last complete epoch."""
    best: float | None = None
    best_epoch: int = 0
    best_weights: dict[str, Tensor] = field(default_factory=dict, repr=False)
    seconds: float = 0.0
    """Of training so far, in all processes that took part."""
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The checkpoint file of one training run, which `fingerprint` identifies."""

    file: Path
    fingerprint: str

    def save(
        self, state: TrainingState, network: nn.Module, optimizer: torch.optim.Optimizer
    ) -> None:
        """Replace the file."""
        # Copies: weights that two layers share could not be written otherwise.
        tensors = {f"{_NOW}{name}": value.clone() for name, value in network.state_dict().items()}
        tensors |= {f"{_BEST}{name}": value for name, value in state.best_weights.items()}
        for number, moments in optimizer.state_dict()["state"].items():
            for name, value in moments.items():
                tensors[f"{_OPTIMIZER}{number}/{name}"] = value
        known = {name: value for name, value in vars(state).items() if name != "best_weights"}
        about = {"fingerprint": self.fingerprint, "state": json.dumps(known)}
        self.file.parent.mkdir(parents=True, exist_ok=True)
        draft = self.file.with_name(f".{self.file.name}.draft")
        save_file({name: value.contiguous() for name, value in tensors.items()}, draft, about)
        with draft.open("rb") as handle:
            os.fsync(handle.fileno())
        draft.replace(self.file)

    def load(self, network: nn.Module, optimizer: torch.optim.Optimizer) -> TrainingState:
        """Restore network and optimizer; a new state if there is no file."""
        if not self.file.exists():
            return TrainingState()
        tensors, about = _read(self.file)
        if about.get("fingerprint") != self.fingerprint:
            raise AuscultError(
                f"{self.file} belongs to another training run: its training charts, dev charts, "
                "settings, seed or version differ. Remove it to start again, or choose another "
                "directory."
            )
        try:
            state = TrainingState(**json.loads(about["state"]))
            state.best_weights = _under(_BEST, tensors)
            network.load_state_dict(_under(_NOW, tensors))
            moments: dict[int, dict[str, Tensor]] = {}
            for name, value in _under(_OPTIMIZER, tensors).items():
                number, _, what = name.partition("/")
                moments.setdefault(int(number), {})[what] = value
            groups = optimizer.state_dict()["param_groups"]
            optimizer.load_state_dict({"state": moments, "param_groups": groups})
        except (RuntimeError, ValueError, LookupError, TypeError) as error:
            raise _damaged(self.file) from error
        return state


class CheckpointWriter:
    """When to write a checkpoint: at an interval that keeps the share of writing time small."""

    def __init__(self, checkpoint: Checkpoint | None, every: float) -> None:
        self._checkpoint, self._every = checkpoint, every
        self._last, self._took = time.monotonic(), 0.0

    def is_due(self, *, at_epoch: bool = False) -> bool:
        """Whether a checkpoint is due, within an epoch or at its end."""
        if self._checkpoint is None:
            return False
        passed = time.monotonic() - self._last
        return passed >= max(0.0 if at_epoch else self._every, self._took / _WRITING)

    def save(
        self, state: TrainingState, network: nn.Module, optimizer: torch.optim.Optimizer
    ) -> None:
        """Write the checkpoint, if there is a directory for it."""
        if self._checkpoint is None:
            return
        begin = time.monotonic()
        self._checkpoint.save(state, network, optimizer)
        self._last = time.monotonic()
        self._took = self._last - begin if self._every else 0.0


def _read(file: Path) -> tuple[dict[str, Tensor], Mapping[str, str]]:
    try:
        # Opened by hand: load_file leaves out the metadata.
        opened: Any = safetensors.safe_open(str(file), framework="pt")
        with opened as handle:
            return {name: handle.get_tensor(name) for name in handle.keys()}, (  # noqa: SIM118 - no mapping
                handle.metadata() or {}
            )
    except (OSError, safetensors.SafetensorError) as error:
        raise _damaged(file) from error


def _under(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): value
        for name, value in tensors.items()
        if name.startswith(prefix)
    }


def _damaged(file: Path) -> AuscultError:
    return AuscultError(f"{file} is damaged. Remove it; training then starts from the beginning.")
