"""One progress display for a command: it appears on standard error after two seconds of work."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from auscult.core.progress import listening

if TYPE_CHECKING:
    from rich.progress import Progress

_PATIENCE = 2.0
"""Seconds of work before anything shows."""


class Display:
    """Listens to what is tracked, and draws it once the work has taken long enough.

    Work that tracks nothing shows as a pulsing bar, so that long never looks like hung. Where
    standard error is no terminal, nothing is drawn.
    """

    def __init__(self) -> None:
        self._running: dict[int, tuple[str, int | None, int]] = {}
        self._bars: dict[int, Any] = {}
        self._progress: Progress | None = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(_PATIENCE, self._open)
        self._timer.daemon = True

    def track(self, items: Iterable[Any], what: str, total: int | None) -> Iterator[Any]:
        """Pass the items on and keep count of them."""
        if total is None and isinstance(items, Sequence):
            total = len(items)
        with self._lock:
            number = max(self._running, default=-1) + 1
            self._running[number] = (what, total, 0)
            self._draw(number)
        try:
            for done, item in enumerate(items, 1):
                yield item
                self._running[number] = (what, total, done)
                if self._progress is not None:
                    with self._lock:
                        self._draw(number)
        finally:
            with self._lock:
                del self._running[number]
                if self._progress is not None and number in self._bars:
                    self._progress.remove_task(self._bars.pop(number))

    @contextmanager
    def showing(self) -> Iterator[None]:
        """Show what happens inside the `with`."""
        if sys.stderr.isatty():
            self._timer.start()
        try:
            with listening(self.track):
                yield
        finally:
            self._timer.cancel()
            with self._lock:
                if self._progress is not None:
                    self._progress.stop()
                    self._progress = None

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
        from rich.progress import TimeElapsedColumn as Elapsed
        from rich.progress import TimeRemainingColumn as Remaining

        with self._lock:
            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TaskProgressColumn(),
                Elapsed(),
                Remaining(),
                console=Console(stderr=True),
                transient=True,
            )
            if not self._running:
                self._progress.add_task("working", total=None)
            for number in self._running:
                self._draw(number)
            self._progress.start()

    def _draw(self, number: int) -> None:
        if self._progress is None:
            return
        what, total, done = self._running[number]
        if number not in self._bars:
            self._bars[number] = self._progress.add_task(what, total=total)
        self._progress.update(self._bars[number], completed=done)
