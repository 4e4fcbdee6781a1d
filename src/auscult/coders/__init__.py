"""Coders: programs that give codes to charts and point at the words that justify each."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from auscult.coders.contract import Scorer
from auscult.core.errors import MissingExtraError
from auscult.core.names import require_known

# A new kind is a module, the class in it, and the extra it needs, if any. Nothing is imported
# before it is used.
_KINDS: dict[str, tuple[str, str, str | None]] = {
    "caml": ("neural.caml", "Caml", "neural"),
    "effectivecan": ("neural.effectivecan", "EffectiveCan", "neural"),
    "ensemble": ("ensemble", "Ensemble", None),
    "lexicon": ("lexicon", "Lexicon", None),
    "linear": ("linear", "Linear", None),
    "transformer": ("neural.transformer", "Transformer", "neural"),
}
CODERS = tuple(_KINDS)


def scorer(kind: str) -> type[Scorer]:
    """The class of a kind of coder."""
    require_known(kind, CODERS, "coder")
    module, name, extra = _KINDS[kind]
    try:
        return cast(type[Scorer], getattr(import_module(f"{__name__}.{module}"), name))
    except ModuleNotFoundError as error:
        if extra is None or (error.name or "").startswith("auscult"):
            raise
        raise MissingExtraError(f"The coder {kind}", extra) from error
