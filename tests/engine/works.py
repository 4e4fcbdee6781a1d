"""Work for the tests of engines, in a module that workers can import."""

from __future__ import annotations

import os
import signal
import sys
import time
import uuid
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from auscult.core import MissingExtraError, OptionError
from auscult.core.threads import allowed
from auscult.corpus.partitioned import Annotated
from auscult.models.predicting import Prediction


@dataclass(frozen=True)
class Squaring:
    """Squares numbers."""

    def begin(self) -> Callable[[int], int]:
        return lambda number: number * number


@dataclass(frozen=True)
class Failing:
    """Fails in a way of its own at a number."""

    at: int

    def begin(self) -> Callable[[int], int]:
        def do(number: int) -> int:
            warnings.warn("half a loaf", stacklevel=1)
            if number == self.at:
                # It takes two arguments, so that pickle cannot bring it back.
                raise MissingExtraError("The oven", "bread")
            return number

        return do


@dataclass(frozen=True)
class Refusing:
    """Cannot be begun."""

    def begin(self) -> Callable[[int], int]:
        raise OptionError("The oven is cold. Light it.")


@dataclass(frozen=True)
class Dying:
    """Is killed, as the kernel does when memory runs out."""

    def begin(self) -> Callable[[int], int]:
        def do(number: int) -> int:
            if number == 3:
                os.kill(os.getpid(), signal.SIGKILL)
            return number

        return do


@dataclass(frozen=True)
class Telling:
    """Tells who does a task and with how many threads."""

    def begin(self) -> Callable[[int], tuple[int, int, str, int]]:
        return lambda _: (
            os.getpid(), allowed(), os.environ["OMP_NUM_THREADS"], pl.thread_pool_size()
        )  # fmt: skip


def _machine() -> str:
    """The machine of a cluster that this is."""
    ray = sys.modules.get("ray")
    return ray.get_runtime_context().get_node_id() if ray and ray.is_initialized() else "here"


@dataclass(frozen=True)
class Watched(Prediction):
    """A model at work, slowly, that leaves a trace of each time it takes up a partition."""

    traces: Path = Path()
    pause: float = 0.0

    def begin(self) -> Callable[[pl.DataFrame], Annotated]:
        annotate = super().begin()

        def do(table: pl.DataFrame) -> Annotated:
            who = f"{_machine()}_{os.getpid()}_{uuid.uuid4().hex}"
            (self.traces / f"{table['note_id'][0]}_{who}").touch()
            time.sleep(self.pause)
            return annotate(table)

        return do
