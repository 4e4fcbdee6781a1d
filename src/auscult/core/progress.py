"""Progress reporting that is independent of who displays it.

A function that loops over many things wraps them in `track`. The command line listens and draws
a bar; a library user sees nothing unless they listen themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")
Listener = Callable[[Iterable[Any], str, int | None], Iterable[Any]]

_listener: ContextVar[Listener | None] = ContextVar("auscult_progress", default=None)


def track(items: Iterable[T], what: str, total: int | None = None) -> Iterable[T]:
    """Iterate over the items and report progress to the listener, if there is one.

    >>> list(track([1, 2], "counting"))
    [1, 2]
    """
    listener = _listener.get()
    return items if listener is None else listener(items, what, total)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let `listener` wrap everything that is tracked inside the `with`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
