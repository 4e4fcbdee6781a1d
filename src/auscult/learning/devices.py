"""Devices, CPU threads and random numbers of torch."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from auscult.core import OptionError
from auscult.core.threads import allowed


def find_device(name: str) -> torch.device:
    """The device with a name; `auto` is the GPU of this process, if there is one, else the CPU."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and torch.cuda.is_available():
        # Without a number, a replica would take the first one instead of its own.
        return torch.device("cuda", torch.cuda.current_device())
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise OptionError(
            f"The device {name} is not available. Use auto, cpu, or cuda on a machine with a GPU."
        ) from error
    return device


def available_or_auto(name: str) -> str:
    """The device's name if it is available; else `auto`, with a warning."""
    try:
        find_device(name)
    except OptionError as error:
        warnings.warn(f"{error} The device auto is used instead.", stacklevel=3)
        return "auto"
    return name


def chosen_precision(asked: str, device: torch.device) -> str:
    """`32` or `bf16`; `auto` is bf16 on GPUs that support it, else 32."""
    if asked != "auto":
        return asked
    return "bf16" if device.type == "cuda" and torch.cuda.is_bf16_supported() else "32"


def quick_precision(asked: str, device: torch.device) -> str:
    """The same where digits matter less: `auto` is bf16 on CPUs that support it, too."""
    if asked == "auto" and device.type == "cpu":
        capable = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
        return "bf16" if capable() else "32"
    return chosen_precision(asked, device)


@contextmanager
def fast_products(device: torch.device) -> Iterator[None]:
    """Let a GPU multiply 32-bit matrices in TF32, which is at least as precise as bf16."""
    before = torch.get_float32_matmul_precision()
    if device.type == "cuda":
        torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


@contextmanager
def threads(count: int | None) -> Iterator[None]:
    """Set the number of torch's threads, by default all that this process may use."""
    before = torch.get_num_threads()
    torch.set_num_threads(count or allowed())
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def isolated_random_state(device: torch.device) -> Iterator[None]:
    """Restore torch's random state at the end."""
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        yield


def seed_torch(*what: object) -> None:
    """Seed torch by the given values: the same values give the same random numbers."""
    digest = hashlib.sha256("/".join(map(str, what)).encode()).digest()
    torch.manual_seed(int.from_bytes(digest[:8]) >> 1)
