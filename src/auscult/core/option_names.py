"""How a message names an option: as a flag on the command line, as an argument in Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_HAS_FLAGS: ContextVar[bool] = ContextVar("has_flags", default=False)


@contextmanager
def on_command_line() -> Iterator[None]:
    """Within it, messages name flags: whoever reads them gave a command."""
    token = _HAS_FLAGS.set(True)
    try:
        yield
    finally:
        _HAS_FLAGS.reset(token)


def option(flag: str, argument: str | None = None) -> str:
    """The option as whoever reads the message would give it.

    `argument` is what it is in Python, where that is not the flag's own name. A value in capitals
    stands for one.

    >>> option("--merge-adjacent"), option("--charts all"), option("--annotator NAME")
    ('merge_adjacent', "charts='all'", 'annotator=NAME')
    >>> with on_command_line():
    ...     option("--charts all")
    '--charts all'
    """
    if _HAS_FLAGS.get():
        return flag
    if argument is not None:
        return argument
    name, blank, value = flag.removeprefix("--").partition(" ")
    name = name.replace("-", "_")
    return f"{name}={value if value.isupper() else repr(value)}" if blank else name
