"""Coders: programs that give codes to charts and point at the words that justify each.

Further kinds come from other packages, by entry points of the group `auscult.coders`, or
`auscult.coders.concepts` for those that mark spans with concepts.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from auscult.coders.contract import Configuration, Scorer
from auscult.core import plugins
from auscult.core.errors import MissingExtraError, PluginError
from auscult.core.names import require_known

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import EntryPoint

    from pydantic import BaseModel

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
PLUGINS = "auscult.coders"
CONCEPT_PLUGINS = "auscult.coders.concepts"
_PARTS = ("config_type", "evidence_step", "joins_words", "folds", "fit", "read", "save", "load")
_SPAN_PARTS = (
    "config_type",
    "needs_vocabulary",
    "needs_places",
    "takes_places",
    "fit",
    "annotate",
    "save",
    "load",
)
GUIDE = "What a coder needs is in auscult.coders.contract.Scorer."
_SPAN_GUIDE = "What a coder of concepts needs is in auscult.coders.concepts.contract.SpanCoder."


def kinds() -> tuple[str, ...]:
    """Every kind of coder that gives codes to charts: Auscult's, and other packages'."""
    return (*CODERS, *_offered())


def span_kinds() -> tuple[str, ...]:
    """Every kind of coder that marks spans with concepts: Auscult's, and other packages'."""
    return (*SPAN_CODERS, *_span_offered())


def reads_concepts(kind: str) -> bool:
    """Whether a kind marks spans with concepts, rather than give codes to charts."""
    return kind in _SPAN_KINDS or (kind not in _KINDS and kind in _span_offered())


def scorer(kind: str) -> type[Scorer]:
    """The class of a kind of coder."""
    if kind in _KINDS:
        return cast(type[Scorer], _load(kind, _KINDS))
    offered = _offered()
    require_known(kind, (*CODERS, *offered), "coder")
    return cast(type[Scorer], _plugin(offered[kind], Configuration, _PARTS, GUIDE))


def span_coder(kind: str) -> type[SpanCoder]:
    """The class of a kind of coder of concepts."""
    if kind in _SPAN_KINDS:
        return cast("type[SpanCoder]", _load(kind, _SPAN_KINDS))
    from auscult.coders.concepts.contract import SpanConfiguration

    offered = _span_offered()
    require_known(kind, (*SPAN_CODERS, *offered), "coder of concepts")
    found = _plugin(offered[kind], SpanConfiguration, _SPAN_PARTS, _SPAN_GUIDE)
    return cast("type[SpanCoder]", found)


def _offered() -> dict[str, EntryPoint]:
    return plugins.offered(PLUGINS, (*_KINDS, *_SPAN_KINDS))


def _span_offered() -> dict[str, EntryPoint]:
    return plugins.offered(CONCEPT_PLUGINS, (*_KINDS, *_SPAN_KINDS))


def _plugin(point: EntryPoint, base: type[BaseModel], parts: Iterable[str], guide: str) -> type:
    """The class that another package offers, if it has what its kind needs."""
    found = plugins.load(point)
    if not isinstance(found, type):
        raise PluginError(point, f"is no class. {guide}")
    plugins.require_parts(point, found, parts, guide)
    config = found.config_type  # type: ignore[attr-defined]  # was looked for just now
    if not (isinstance(config, type) and issubclass(config, base)):
        wrong = f"has a config_type that does not derive from {base.__name__}. {guide}"
        raise PluginError(point, wrong)
    return found


def _load(kind: str, kinds: dict[str, tuple[str, str, str | None]]) -> object:
    module, name, extra = kinds[kind]
    try:
        return getattr(import_module(f"{__name__}.{module}"), name)
    except ModuleNotFoundError as error:
        if extra is None or (error.name or "").startswith("auscult"):
            raise
        raise MissingExtraError(f"The coder {kind}", extra) from error
