"""Where the time of a training step goes: data, forward, loss, backward, optimizer.

The training loop starts the clock of a step and ends it; a network calls `lap("forward")` between
its output and its loss. On a GPU, work is only queued, so there the clock waits for it: not in
every step, or the GPU would wait too. Where a network computes a gradient together with its loss
(`attention_loss.py`), that is part of the loss.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

PARTS = ("data", "forward", "loss", "backward", "optimizer")
_EVERY = 50
"""On a GPU, one in so many steps is timed."""


@dataclass(slots=True)
class StepTimes:
    """Seconds by part, over the steps that were timed."""

    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))
    steps: int = 0
    elapsed: float = 0.0
    """Seconds of the whole training with its evaluations, in all processes that took part."""

    @property
    def per_step(self) -> float:
        """Seconds of a step."""
        return sum(self.seconds.values()) / max(1, self.steps)

    def to_dict(self) -> dict[str, float]:
        """For JSON: seconds of a step, in all and by part."""
        by_part = {part: took / max(1, self.steps) for part, took in self.seconds.items()}
        return {"seconds_per_step": self.per_step, **by_part}

    def __str__(self) -> str:
        total = sum(self.seconds.values()) or 1.0
        parts = (f"{part} {took / total:.0%}" for part, took in self.seconds.items())
        return f"{self.per_step:.3g} s a step: {', '.join(parts)}"


class _Clock:
    """The clock of one step."""

    def __init__(self, times: StepTimes, device: torch.device) -> None:
        self._times = times
        self._waits = device.type == "cuda"
        self._since = self._now()

    def lap(self, part: str) -> None:
        now = self._now()
        self._times.seconds[part] += now - self._since
        self._since = now

    def _now(self) -> float:
        if self._waits:
            import torch  # loaded by now; whoever only wants to know the times need not

            torch.cuda.synchronize()
        return time.perf_counter()


_clock: ContextVar[_Clock | None] = ContextVar("auscult_step_clock", default=None)


def lap(part: str) -> None:
    """Add the time since the last lap of the current step to a part."""
    clock = _clock.get()
    if clock is not None:
        clock.lap(part)


@contextmanager
def timed(times: StepTimes, device: torch.device, at: int) -> Iterator[None]:
    """Time the step number `at`, if it is one of those that are timed."""
    if device.type == "cuda" and at % _EVERY:
        yield
        return
    token = _clock.set(_Clock(times, device))
    try:
        yield
        times.steps += 1
    finally:
        _clock.reset(token)
