"""How long a training should take, from a few of its steps.

Whoever wants to know runs the training under `estimating()`. It goes on until its data are there
and its network is built, takes a few steps, and stops; nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NoReturn

from auscult.learning.step_times import StepTimes


@dataclass(frozen=True, slots=True)
class TrainingEstimate:
    """The parts that the time of a training is made of."""

    epochs: int
    """At most; early stopping may end it sooner."""
    steps: int
    """Of an epoch."""
    times: StepTimes
    dev_seconds: float
    """Of one evaluation on dev."""

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
    """The training was only to be estimated."""


@dataclass(slots=True)
class _Asked:
    """Somebody who wants an estimate instead of a training."""

    estimate: TrainingEstimate | None = None

    def found(self, estimate: TrainingEstimate) -> NoReturn:
        """Take the estimate, and end the training."""
        self.estimate = estimate
        raise _Stopped


_asked: ContextVar[_Asked | None] = ContextVar("auscult_training_estimate", default=None)


def asked() -> _Asked | None:
    """Who wants an estimate, if anybody does."""
    return _asked.get()


def estimated(begin: Callable[[], object]) -> TrainingEstimate | None:
    """The estimate of the training that a function begins; None if it trains no network."""
    wanted = _Asked()
    token = _asked.set(wanted)
    try:
        begin()
    except _Stopped:
        pass
    finally:
        _asked.reset(token)
    return wanted.estimate
