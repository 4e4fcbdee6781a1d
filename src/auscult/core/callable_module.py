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
    # No docstring: `__doc__` is a property below. A module that calls the public function of its
    # own name, and describes itself by it to `help`, `inspect` and notebooks. The function is
    # imported when it is first asked for, not with the package.

    def __call__(self, *given: Any, **options: Any) -> Any:
        return self.__wrapped__(*given, **options)

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(
            import_module("auscult.api"), self.__name__.rpartition(".")[2]
        )
        return found

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.__wrapped__)

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        first, _, rest = (inspect.getdoc(self.__wrapped__) or "").partition("\n")
        of_package = inspect.cleandoc(self.__dict__.get("__doc__") or "")
        call = f"{self.__wrapped__.__name__}{_without_types(self.__signature__)}"
        return "\n\n".join([first, call, rest.strip(), f"The package: {of_package}"])


def make_callable(module: str) -> None:
    """Let the module of that name be called like the function of `auscult.api`."""
    sys.modules[module].__class__ = CallableModule


def _without_types(signature: inspect.Signature) -> inspect.Signature:
    plain = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    return inspect.Signature(plain)
