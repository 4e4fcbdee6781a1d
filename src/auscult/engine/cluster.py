"""The engine of a Ray cluster, one that is there or one that is started on this machine."""

from __future__ import annotations

import logging
import os
import socket
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from auscult.core import AuscultError, MissingExtraError, OptionError
from auscult.core.threads import cores, environment
from auscult.core.version import __version__
from auscult.engine.contract import Result, Task, Work
from auscult.engine.task_results import AHEAD, PackedWork, perform

_RETRIES = 3
"""How often a task is retried on another worker after its worker or machine dies."""
_PATIENCE = 5.0
"""Seconds to wait for a cluster address to respond."""
_STORE = 200 * 2**20
"""Bytes of shared memory for a cluster of our own: results are receipts, not tables."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Tasks on the machines of a Ray cluster. Made by `connected`."""

    workers: int
    threads: int = 1

    def run(self, work: Work[Task, Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """The results, in the order of the tasks."""
        import ray

        remote = ray.remote(
            num_cpus=self.threads,
            max_retries=_RETRIES,
            runtime_env={"env_vars": environment(self.threads)},
        )(perform)
        packed = ray.put(PackedWork.of(work))
        waiting: deque[Any] = deque()
        try:
            for task in tasks:
                waiting.append(remote.remote(packed, task))
                if len(waiting) >= AHEAD * self.workers:
                    yield _result(waiting.popleft())
            while waiting:
                yield _result(waiting.popleft())
        finally:
            for reference in waiting:
                with suppress(Exception):  # the cluster may be gone
                    ray.cancel(reference, force=True)


@contextmanager
def connected(
    address: str | None = None, *, workers: int | None = None, threads: int | None = None
) -> Iterator[Cluster]:
    """The cluster at an address, or one of our own that ends with the `with`.

    A process that is connected already stays so, and uses that cluster.
    """
    if address is not None:
        _require_answer(address)
    # Before ray is loaded, which looks once. What is done with notes is told to nobody, and the
    # output of a command is its own: Ray would print there that a machine died.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".*")
    try:
        import ray
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("auscult"):
            raise
        raise MissingExtraError("The engine ray", "ray") from error
    threads = threads or 1
    was_connected = ray.is_initialized()
    try:
        if not was_connected:
            _connect(address, (workers or max(1, cores() // threads)) * threads)
        yield Cluster(workers or _room(threads), threads)
    finally:
        if not was_connected:
            ray.shutdown()


def _connect(address: str | None, here: int) -> None:
    import ray

    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
    if address is None:
        # A task that runs out of memory is tried again twice, not for ever.
        more = {"task_oom_retries": 2}
        options |= {"address": "local", "num_cpus": here, "include_dashboard": False}
        options |= {"object_store_memory": _STORE, "_system_config": more}
        failed = "Ray could not be started on this machine"
        advice = "It needs about 1 GB of free memory and a few seconds to start; try again."
    else:
        options |= {"address": address}
        failed = f"The Ray cluster at {address} refused the connection"
        advice = "It must run the same versions of Ray and Python as this machine."
    try:
        ray.init(**options)
    except Exception as error:  # Ray raises plain exceptions of many kinds
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        raise OptionError(f"{failed}: {reason}. {advice}") from error


def _require_answer(address: str) -> None:
    """An error unless somebody listens; Ray itself would wait for long."""
    if address in ("auto", "local"):
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not (host and port.isdecimal()):
        raise OptionError(
            f"--address must be HOST:PORT of a Ray cluster, or auto; got {address!r}."
        )
    try:
        socket.create_connection((host, int(port)), _PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise OptionError(
            f"No Ray cluster answers at {address}. Start one there (ray start --head), or leave "
            "--address out to start one on this machine."
        ) from error


def _room(threads: int) -> int:
    """The tasks that the cluster has room for at once."""
    import ray

    free = [
        int(node["Resources"].get("CPU", 0)) // threads for node in ray.nodes() if node["Alive"]
    ]
    if not sum(free):
        raise OptionError(
            f"No machine in the cluster has {threads} cores for one worker. Lower --threads."
        )
    return sum(free)


def _result(reference: Any) -> Any:
    import ray
    from ray import exceptions

    try:
        return ray.get(reference).opened()
    except exceptions.RayTaskError as error:
        cause = error.cause
        if isinstance(cause, ImportError):
            raise AuscultError(
                f"A worker cannot load auscult ({cause}). Install auscult {__version__} with the "
                "same extras on every machine of the cluster."
            ) from error
        raise (cause or error) from error
    except exceptions.OutOfMemoryError as error:
        raise AuscultError(
            "A worker ran out of memory, and so did its retries. Use fewer workers (--workers) "
            "and run the same command again; finished tasks are kept."
        ) from error
    except exceptions.RayError as error:
        raise AuscultError(
            f"A worker died ({type(error).__name__}), and so did its retries; usually memory "
            "ran out or a machine went down. Run the same command again; finished tasks are "
            "kept."
        ) from error
