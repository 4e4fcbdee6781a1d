"""How many threads a process may use, so that several workers on one machine do not crowd it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits

VARIABLE = "AUSCULT_THREADS"
_LIBRARIES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
)
"""The environment variables from which libraries read their number of threads at import."""


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0))


def allowed() -> int:
    """The threads this process may use: what it was told, or one for every core.

    >>> with limited(3):
    ...     allowed()
    3
    """
    for name in (VARIABLE, _LIBRARIES[0]):
        told = os.environ.get(name, "")
        if told.isdecimal() and int(told):
            return int(told)
    return cores()


def environment(threads: int) -> dict[str, str]:
    """The variables that tell a process that is about to start."""
    return dict.fromkeys((VARIABLE, *_LIBRARIES), str(threads))


@contextmanager
def limited(threads: int | None) -> Iterator[None]:
    """Let what runs inside use so many threads; None leaves it as it is."""
    before = os.environ.get(VARIABLE)
    if threads is not None:
        os.environ[VARIABLE] = str(threads)
    try:
        yield
    finally:
        if threads is not None:
            os.environ.pop(VARIABLE)
            if before is not None:
                os.environ[VARIABLE] = before


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let NumPy's and SciPy's linear algebra use a single thread; also a decorator.

    With several, BLAS splits a sum into as many parts, and rounds it differently for each number of
    them. A solver carries that into its weights, so the same seed would give another model on
    another machine. Not for torch, which some platforms build on the same library.
    """
    with threadpool_limits(1, user_api="blas"):
        yield
