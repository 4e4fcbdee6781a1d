"""One progress display for a command: it appears on standard error after two seconds of work."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from auscult.core.progress import listening

if TYPE_CHECKING:
    from rich.progress import Progress

_PATIENCE = 2.0
"""Seconds of work before anything shows."""
LOG_SECONDS = 60.0
"""Seconds between two lines where standard error is no terminal."""


class Display:
    """Listens to what is tracked, and draws it once the work has taken long enough.

    Work that tracks nothing shows as a pulsing bar, so that long never looks like hung. Where
    standard error is no terminal, it gets a line each minute.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._running: dict[int, tuple[str, int | None, int]] = {}
        self._bars: dict[int, Any] = {}
        self._progress: Progress | None = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(_PATIENCE, self._open)
        self._timer.daemon = True
        self._begins: dict[int, float] = {}
        self._is_done = threading.Event()

    def track(self, items: Iterable[Any], what: str, total: int | None) -> Iterator[Any]:
        """Pass the items on and keep count of them."""
        if total is None and isinstance(items, Sequence):
            total = len(items)
        with self._lock:
            number = max(self._running, default=-1) + 1
            self._running[number] = (what, total, 0)
            self._begins[number] = self._clock()
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
        else:
            threading.Thread(target=self._log, daemon=True).start()
        try:
            with listening(self.track):
                yield
        finally:
            self._timer.cancel()
            self._is_done.set()
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

    def _log(self) -> None:
        begin = self._clock()
        while not self._is_done.wait(LOG_SECONDS):
            print(self.line(begin), file=sys.stderr, flush=True)

    def line(self, begin: float) -> str:
        """A log line: the time since `begin`, the progress and the remaining time."""
        now = self._clock()
        with self._lock:
            parts = [self._said(number, now) for number in self._running]
        return f"{duration(now - begin)}: {'; '.join(parts) or 'working'}"

    def _said(self, number: int, now: float) -> str:
        what, total, done = self._running[number]
        if not total:
            return f"{what}, {done:,} done"
        left = ""
        if 0 < done < total:
            seconds = (now - self._begins[number]) * (total - done) / done
            left = f", about {duration(seconds)} left"
        return f"{what}, {done:,} of {total:,}{left}"

    def _draw(self, number: int) -> None:
        if self._progress is None:
            return
        what, total, done = self._running[number]
        if number not in self._bars:
            self._bars[number] = self._progress.add_task(what, total=total)
        self._progress.update(self._bars[number], completed=done)


def duration(seconds: float) -> str:
    """A duration in hours and minutes.

    >>> duration(20), duration(600), duration(4000)
    ('1 min', '10 min', '1 h 7 min')
    """
    minutes = max(1, round(seconds / 60))
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
