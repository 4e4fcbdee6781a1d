"""Execution engines: this process, several processes on this machine, or a Ray cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from auscult.core import OptionError
from auscult.core.names import require_known
from auscult.engine.contract import Engine, Work
from auscult.engine.local import Local

__all__ = ["ENGINES", "Engine", "Local", "Work", "open_engine"]

ENGINES = ("local", "ray")


@contextmanager
def open_engine(
    name: str = "local",
    *,
    address: str | None = None,
    workers: int | None = None,
    threads: int | None = None,
) -> Iterator[Engine]:
    """Open the engine of a name, for use in a `with` statement.

    `address` is that of a Ray cluster; without one, `ray` starts its own on this machine.
    `workers` work at once: one by default, or as many as a cluster has room for. Each has
    `threads` threads: by default a local worker's share of the cores, and one on a cluster.
    """
    require_known(name, ENGINES, "engine")
    if name == "local":
        if address is not None:
            raise OptionError("--address is only used with Ray: add --engine ray.")
        local = Local(workers or 1, threads)
        try:
            yield local
        finally:
            local.close()
        return
    from auscult.engine.cluster import connected

    with connected(address, workers=workers, threads=threads) as cluster:
        yield cluster
