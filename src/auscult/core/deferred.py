"""Libraries that take long to import, imported when something of them is first used.

Polars takes a third of the time in which `auscult code` begins to read, and codes a note without a
table.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any


class _Deferred:
    """Stands for a module."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self._name), name)
        setattr(self, name, found)
        return found


if TYPE_CHECKING:
    import polars as polars
else:
    polars = _Deferred("polars")
