"""A network's weights as a file."""

from __future__ import annotations

from pathlib import Path

import safetensors
from safetensors.torch import load_file, save_file
from torch import nn

from auscult.core import AuscultError, storage

WEIGHTS = "weights.safetensors"


def save_weights(network: nn.Module, directory: Path) -> None:
    """Write a network's weights into a directory."""
    weights = {
        name: value.detach().cpu().contiguous() for name, value in network.state_dict().items()
    }
    save_file(weights, directory / WEIGHTS)


def load_weights(network: nn.Module, directory: Path) -> None:
    """Put what `save_weights` wrote into a network of the same shape."""
    file = storage.locate(directory, WEIGHTS)
    try:
        network.load_state_dict(load_file(file))
    except (OSError, RuntimeError, safetensors.SafetensorError) as error:
        raise AuscultError(
            f"{file} is missing, damaged or of another configuration; train again."
        ) from error
