"""How far a training has come, in one file that is either the old one or the new one.

Nothing else is needed to go on: the order of the charts and the dice of each step follow from the
seed and the number of the step.
"""

from __future__ import annotations

import json
import os
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
_NOW, _BEST, _OPTIMISER = "now/", "best/", "optimiser/"


@dataclass
class Standing:
    """Epochs and batches that are over, and the best weights so far with what they scored."""

    epoch: int = 0
    batch: int = 0
    loss: float = 0.0
    """The sum over the batches of this epoch."""
    last_loss: float | None = None
    """The mean over the batches of the last epoch that is over."""
    best: float | None = None
    best_epoch: int = 0
    best_weights: dict[str, Tensor] = field(default_factory=dict, repr=False)
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The file of one training. `fingerprint` tells one training from another."""

    file: Path
    fingerprint: str

    def save(
        self, standing: Standing, network: nn.Module, optimiser: torch.optim.Optimizer
    ) -> None:
        """Replace what is there."""
        # Copies: weights that two layers share could not be written otherwise.
        tensors = {f"{_NOW}{name}": value.clone() for name, value in network.state_dict().items()}
        tensors |= {f"{_BEST}{name}": value for name, value in standing.best_weights.items()}
        for number, moments in optimiser.state_dict()["state"].items():
            for name, value in moments.items():
                tensors[f"{_OPTIMISER}{number}/{name}"] = value
        known = {name: value for name, value in vars(standing).items() if name != "best_weights"}
        about = {"fingerprint": self.fingerprint, "standing": json.dumps(known)}
        self.file.parent.mkdir(parents=True, exist_ok=True)
        draft = self.file.with_name(f".{self.file.name}.draft")
        save_file({name: value.contiguous() for name, value in tensors.items()}, draft, about)
        with draft.open("rb") as handle:
            os.fsync(handle.fileno())
        draft.replace(self.file)

    def load(self, network: nn.Module, optimiser: torch.optim.Optimizer) -> Standing:
        """Put network and optimiser where they were; a fresh standing when there is no file."""
        if not self.file.exists():
            return Standing()
        tensors, about = _read(self.file)
        if about.get("fingerprint") != self.fingerprint:
            raise AuscultError(
                f"{self.file} belongs to another training: its charts, those it is judged on, "
                "settings, seed or version differ from these. Remove it to start afresh, or name "
                "another directory."
            )
        try:
            standing = Standing(**json.loads(about["standing"]))
            standing.best_weights = _under(_BEST, tensors)
            network.load_state_dict(_under(_NOW, tensors))
            moments: dict[int, dict[str, Tensor]] = {}
            for name, value in _under(_OPTIMISER, tensors).items():
                number, _, what = name.partition("/")
                moments.setdefault(int(number), {})[what] = value
            groups = optimiser.state_dict()["param_groups"]
            optimiser.load_state_dict({"state": moments, "param_groups": groups})
        except (RuntimeError, ValueError, LookupError, TypeError) as error:
            raise _damaged(self.file) from error
        return standing


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
    return AuscultError(f"{file} is damaged. Remove it; the training then starts afresh.")
