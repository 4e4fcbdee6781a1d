"""Where a network runs, on how many threads, and with which dice."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from auscult.core import OptionError
from auscult.core.threads import allowed


def find_device(name: str) -> torch.device:
    """The device of a name; `auto` is the first GPU where there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise OptionError(
            f"The device {name} is not there. Use auto, cpu, or cuda where there is a GPU."
        ) from error
    return device


def there_or_auto(name: str) -> str:
    """The device's name, if it is there; else `auto`, with a warning."""
    try:
        find_device(name)
    except OptionError as error:
        warnings.warn(f"{error} It runs on auto now.", stacklevel=3)
        return "auto"
    return name


@contextmanager
def threads(count: int | None) -> Iterator[None]:
    """Let torch use so many threads, by default all that this process may use."""
    before = torch.get_num_threads()
    torch.set_num_threads(count or allowed())
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def own_dice(device: torch.device) -> Iterator[None]:
    """Leave torch's random numbers outside as they were, whatever is drawn inside."""
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        yield


def throw(*what: object) -> None:
    """Set torch's dice by what is to happen: the same for the same, whatever came before."""
    digest = hashlib.sha256("/".join(map(str, what)).encode()).digest()
    torch.manual_seed(int.from_bytes(digest[:8]) >> 1)
