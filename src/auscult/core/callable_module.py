"""Packages that can be called: `auscult.agreement(corpus)` beside `auscult.agreement.alpha`.

The public functions `agreement` and `audit` have the names of the packages they come from, and
importing anything from a package binds its name in `auscult` to the package.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any


class CallableModule(ModuleType):
    """A module that calls the public function of its own name."""

    def __call__(self, *given: Any, **options: Any) -> Any:
        return self._function(*given, **options)

    @property
    def __signature__(self) -> inspect.Signature:
        """That of the function, for `help` and notebooks."""
        return inspect.signature(self._function)

    @property
    def _function(self) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(
            import_module("auscult.api"), self.__name__.rpartition(".")[2]
        )
        return found


def make_callable(module: str) -> None:
    """Let the module of that name be called like the function of `auscult.api`."""
    sys.modules[module].__class__ = CallableModule
