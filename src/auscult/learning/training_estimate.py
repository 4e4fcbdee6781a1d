"""Estimate the time of a training from a few of its steps.

The caller runs the training under `estimating()`. The training reads its data, builds its network,
takes a few steps and stops; nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NoReturn

from auscult.learning.step_times import StepTimes


@dataclass(frozen=True, slots=True)
class TrainingEstimate:
    """The components of the training time."""

    epochs: int
    """Maximum number; early stopping may end training sooner."""
    steps: int
    """Number per epoch."""
    times: StepTimes
    dev_seconds: float
    """Seconds of one evaluation on dev."""

    @property
    def epoch_seconds(self) -> float:
        """Seconds of one epoch."""
        return self.steps * self.times.per_step + self.dev_seconds

    @property
    def seconds(self) -> float:
        """Seconds of all epochs."""
        return self.epochs * self.epoch_seconds

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "epochs": self.epochs,
            "steps": self.steps,
            "epoch_seconds": self.epoch_seconds,
            "dev_seconds": self.dev_seconds,
            "seconds": self.seconds,
            "step": self.times.to_dict(),
        }


class _Stopped(Exception):  # noqa: N818 - not an error
    """Raised to end a training that is only estimated."""


@dataclass(slots=True)
class _Asked:
    """Receives the estimate of a training."""

    estimate: TrainingEstimate | None = None

    def found(self, estimate: TrainingEstimate) -> NoReturn:
        """Take the estimate, and end the training."""
        self.estimate = estimate
        raise _Stopped


_asked: ContextVar[_Asked | None] = ContextVar("auscult_training_estimate", default=None)


def asked() -> _Asked | None:
    """The receiver of the estimate, if one is active."""
    return _asked.get()


def estimated(begin: Callable[[], object]) -> TrainingEstimate | None:
    """Estimate the training that a function starts; None if it trains no network."""
    wanted = _Asked()
    token = _asked.set(wanted)
    try:
        begin()
    except _Stopped:
        pass
    finally:
        _asked.reset(token)
    return wanted.estimate
