"""The engine of one machine: this process, or several."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import Any

from auscult.core import AuscultError
from auscult.core.threads import cores, environment, limited
from auscult.engine.contract import Result, Task, Work
from auscult.engine.task_results import AHEAD, PackedWork, TaskResult, perform


class Local:
    """One worker is this very process; more are processes of their own, kept until `close`.

    >>> class Doubling:
    ...     def begin(self):
    ...         return lambda number: 2 * number
    >>> list(Local().run(Doubling(), [1, 2, 3]))
    [2, 4, 6]
    """

    def __init__(self, workers: int = 1, threads: int | None = None) -> None:
        self.workers = workers
        self.threads = threads
        """Threads per worker; by default the cores are divided among the workers."""
        self._pool: ProcessPoolExecutor | None = None

    def run(self, work: Work[Task, Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """The results, in the order of the tasks."""
        return self._here(work, tasks) if self.workers == 1 else self._beside(work, tasks)

    def close(self) -> None:
        """End the workers; whatever they are at is given up."""
        pool, self._pool = self._pool, None
        if pool is not None:
            # From Python 3.14: pool.terminate_workers().
            processes: dict[int, Any] = getattr(pool, "_processes", None) or {}
            for process in list(processes.values()):
                process.terminate()
            pool.shutdown(cancel_futures=True)

    def _here(self, work: Work[Task, Result], tasks: Iterable[Task]) -> Iterator[Result]:
        with limited(self.threads):
            do = work.begin()
        for task in tasks:
            with limited(self.threads):
                result = do(task)
            yield result

    def _beside(self, work: Work[Task, Result], tasks: Iterable[Task]) -> Iterator[Result]:
        packed = PackedWork.of(work)
        pool = self._pool = self._pool or self._new_pool()
        waiting: deque[Future[TaskResult]] = deque()
        try:
            for task in tasks:
                waiting.append(pool.submit(perform, packed, task))
                if len(waiting) >= AHEAD * self.workers:
                    yield waiting.popleft().result().opened()
            while waiting:
                yield waiting.popleft().result().opened()
        except BrokenProcessPool as error:
            self.close()
            raise AuscultError(
                f"One of the {self.workers} workers was killed; usually memory ran out. Use "
                "fewer workers (--workers) and run the same command again; finished tasks are "
                "kept."
            ) from error
        except BaseException:
            self.close()
            raise

    def _new_pool(self) -> ProcessPoolExecutor:
        threads = self.threads or max(1, cores() // self.workers)
        # Not forked: threads of the libraries would be left hanging in the child.
        return ProcessPoolExecutor(
            self.workers, mp_context=get_context("spawn"), initializer=_settle, initargs=(threads,)
        )


def _settle(threads: int) -> None:
    """In a new worker, before any library that looks is loaded."""
    os.environ.update(environment(threads))
    # An interrupt is for the process that started it, which then stops its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def end_with_parent() -> None:
    """Let this process end when the one that started it is gone, even if that was killed."""
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
