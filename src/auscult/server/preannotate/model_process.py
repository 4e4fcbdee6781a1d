"""A model in a process of its own: in the server's, it would slow every answer."""

from __future__ import annotations

import multiprocessing
import os
import signal
import warnings
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Protocol

from auscult.core import Annotation, AuscultError, Note

_NICE = 10
_CLOSING_SECONDS = 2


class UnreadableError(AuscultError):
    """The model could not read a chart. It can read others."""


class EndedError(AuscultError):
    """The process of a model ended before it answered."""


class ChartPredictor(Protocol):
    """What pre-annotates: a chart at a time."""

    def predict(self, notes: Sequence[Note]) -> list[Annotation]:
        """The annotations of a chart's notes; `UnreadableError` or `EndedError` if that fails."""
        ...

    def close(self) -> None:
        """End it, also in the middle of a chart."""
        ...


class ModelProcess:
    """A model that another process has loaded. An error if it cannot be loaded there."""

    def __init__(self, choice: str, source: str) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy our threads' locks
        self._line, theirs = context.Pipe()
        self._process = context.Process(
            target=_work, args=(theirs, choice, source), name="auscult-model", daemon=True
        )
        self._process.start()
        theirs.close()
        try:
            problem = self._line.recv()
        except (EOFError, OSError) as error:
            raise AuscultError(f"The process of the model {source} ended.") from error
        if problem is not None:
            raise AuscultError(problem)

    def predict(self, notes: Sequence[Note]) -> list[Annotation]:
        """The annotations of a chart's notes."""
        try:
            self._line.send(list(notes))
            said = self._line.recv()
        except (EOFError, OSError) as error:
            raise EndedError("The process of the model ended.") from error
        if isinstance(said, str):
            raise UnreadableError(said)
        found: list[Annotation] = said
        return found

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.join(_CLOSING_SECONDS)


def _work(line: Connection, choice: str, source: str) -> None:
    """Load the model and answer until the server is gone."""
    # Ctrl-C goes to the whole group of processes; the server ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    os.nice(_NICE)
    from auscult.models.loading import load_model
    from auscult.models.skipped import SkippedText

    try:
        model = load_model(choice)
    except (AuscultError, OSError) as error:
        line.send(f"The model {source} cannot be loaded: {error}")
        return
    line.send(None)
    with suppress(EOFError, OSError):
        while True:
            notes = line.recv()
            try:
                found = model.predict(notes, annotator=source, skipped=SkippedText())
                line.send(list(found))
            except Exception as error:
                # Its message may quote the note.
                line.send(type(error).__name__)
