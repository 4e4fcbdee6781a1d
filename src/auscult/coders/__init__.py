"""Coders: programs that give codes to charts and point at the words that justify each."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from auscult.coders.contract import Scorer
from auscult.core.errors import MissingExtraError
from auscult.core.names import require_known

if TYPE_CHECKING:
    from auscult.coders.concepts.contract import SpanCoder

# A new kind is a module, the class in it, and the extra it needs, if any. Nothing is imported
# before it is used.
_KINDS: dict[str, tuple[str, str, str | None]] = {
    "bigru": ("neural.bigru", "BiGru", "neural"),
    "caml": ("neural.caml", "Caml", "neural"),
    "effectivecan": ("neural.effectivecan", "EffectiveCan", "neural"),
    "ensemble": ("ensemble", "Ensemble", None),
    "lexicon": ("lexicon", "Lexicon", None),
    "linear": ("linear", "Linear", None),
    "policy": ("policy", "Policy", None),
    "report": ("report", "Report", None),
    "tfidf-xgboost": ("boosted", "Boosted", "xgboost"),
    "transformer": ("neural.transformer", "Transformer", "neural"),
}
CODERS = tuple(_KINDS)
# Those that mark spans with concepts, rather than give codes to charts.
_SPAN_KINDS: dict[str, tuple[str, str, str | None]] = {
    "normaliser": ("concepts.normaliser", "Normaliser", None),
    "tagger": ("concepts.tagger", "Tagger", None),
    "vocabulary": ("concepts.vocabulary", "VocabularyCoder", None),
}
SPAN_CODERS = tuple(_SPAN_KINDS)


def scorer(kind: str) -> type[Scorer]:
    """The class of a kind of coder."""
    require_known(kind, CODERS, "coder")
    return cast(type[Scorer], _load(kind, _KINDS))


def span_coder(kind: str) -> type[SpanCoder]:
    """The class of a kind of coder of concepts."""
    require_known(kind, SPAN_CODERS, "coder of concepts")
    return cast("type[SpanCoder]", _load(kind, _SPAN_KINDS))


def _load(kind: str, kinds: dict[str, tuple[str, str, str | None]]) -> object:
    module, name, extra = kinds[kind]
    try:
        return getattr(import_module(f"{__name__}.{module}"), name)
    except ModuleNotFoundError as error:
        if extra is None or (error.name or "").startswith("auscult"):
            raise
        raise MissingExtraError(f"The coder {kind}", extra) from error
