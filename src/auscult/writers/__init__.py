"""Writers: programs that turn the discrete variables of a visit into its text."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from auscult.core.errors import MissingExtraError
from auscult.core.names import require_known
from auscult.writers.contract import Pen

# A new kind is a module, the class in it, and the extra it needs, if any. Nothing is imported
# before it is used.
_KINDS: dict[str, tuple[str, str, str | None]] = {
    "frequent": ("frequent", "Frequent", None),
    "lstm": ("lstm", "Lstm", "neural"),
    "nearest": ("nearest", "Nearest", None),
    "transformer": ("transformer", "Transformer", "neural"),
}
WRITERS = tuple(_KINDS)


def pen(kind: str) -> type[Pen]:
    """The class of a kind of writer."""
    require_known(kind, WRITERS, "writer")
    module, name, extra = _KINDS[kind]
    try:
        return cast(type[Pen], getattr(import_module(f"{__name__}.{module}"), name))
    except ModuleNotFoundError as error:
        if extra is None or (error.name or "").startswith("auscult"):
            raise
        raise MissingExtraError(f"The writer {kind}", extra) from error
