"""Models that assign codes to clinical text and show the evidence for each code.

Every model follows one contract (`architecture.py`) and is listed in one registry, in this module.
Other packages add models with entry points of the group `auscult.models`; a class can also be
passed where a name can.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from auscult.core import plugins
from auscult.core.errors import MissingExtraError, OptionError, PluginError
from auscult.core.names import require_known

if TYPE_CHECKING:
    from auscult.models.architecture import Architecture, ModelConfiguration
    from auscult.models.chart_scoring import ChartScorer

PLUGINS = "auscult.models"
GUIDE = "See auscult.models.architecture for what a model class needs."
_NEEDED = ("fit", "save", "load")

# Name: module, class, and the extra it needs, if any. Nothing is imported before it is used.
_CODING: dict[str, tuple[str, str, str | None]] = {
    "bagging": ("bagging", "Bagging", None),
    "bigru": ("neural.bigru", "BiGru", "neural"),
    "caml": ("neural.caml", "Caml", "neural"),
    "codebook": ("codebook", "Codebook", None),
    "effectivecan": ("neural.effectivecan", "EffectiveCan", "neural"),
    "ensemble": ("ensemble", "Ensemble", None),
    "lexicon": ("lexicon", "Lexicon", None),
    "linear": ("linear", "Linear", None),
    "policy": ("policy", "Policy", None),
    "radiology": ("radiology", "RadiologyModel", None),
    "tfidf-xgboost": ("tfidf_xgboost", "TfidfXgboost", "xgboost"),
    "transformer": ("neural.transformer", "Transformer", "neural"),
}
_ENTITIES: dict[str, tuple[str, str, str | None]] = {
    "dictionary": ("entities.dictionary", "DictionaryMatcher", None),
    "linker": ("entities.linker", "Linker", None),
    "tagger": ("entities.tagger", "CrfTagger", None),
}
_MODELS = {**_CODING, **_ENTITIES}
CODING_MODELS = tuple(_CODING)
"""Built-in models that assign codes to charts."""
ENTITY_MODELS = tuple(_ENTITIES)
"""Built-in models for named entity recognition and entity linking."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a model class can do."""

    scores_codes: bool
    finds_spans: bool
    links_spans: bool


def model_names() -> tuple[str, ...]:
    """The names of all models: the built-in ones, and those of other packages."""
    return (*_MODELS, *plugins.discover(PLUGINS, _MODELS))


def coding_names() -> tuple[str, ...]:
    """The names of models that may score codes: the built-in ones, and those of other packages."""
    return (*_CODING, *plugins.discover(PLUGINS, _MODELS))


def model_class(model: str | type[Architecture]) -> type[Architecture]:
    """The class of a model by name; a class of the user's own is checked and returned."""
    if not isinstance(model, str):
        if wrong := _wrong(model):
            raise OptionError(f"{model.__name__} is not a model class: it {wrong}. {GUIDE}")
        return model
    if model in _MODELS:
        return cast("type[Architecture]", _load(model))
    offered = plugins.discover(PLUGINS, _MODELS)
    require_known(model, (*_MODELS, *offered), "model")
    found = plugins.load(offered[model])
    if not isinstance(found, type):
        raise PluginError(offered[model], f"is not a class. {GUIDE}")
    if wrong := _wrong(found):
        raise PluginError(offered[model], f"{wrong}. {GUIDE}")
    return cast("type[Architecture]", found)


def scorer_class(model: str) -> type[ChartScorer]:
    """The class of a model that scores codes; an error for one that does not."""
    found = model_class(model)
    if not capabilities(found).scores_codes:
        raise OptionError(
            f"The model {model} annotates spans and does not score the codes of charts, which is "
            f"needed here. Models that do: {', '.join(CODING_MODELS)}."
        )
    return cast("type[ChartScorer]", found)


def model_name(model: str | type[Architecture]) -> str:
    """The name a model is saved and signs under: a class's own `name`, or that of the class."""
    if isinstance(model, str):
        return model
    name = str(getattr(model, "name", model.__name__))
    if name in _MODELS and model is not _load(name):
        raise OptionError(f"{model.__name__} has the name of the built-in model {name}: rename it.")
    return name


def capabilities(model: type) -> Capabilities:
    """What a model class can do, by the methods it has."""
    return Capabilities(hasattr(model, "read"), hasattr(model, "find"), hasattr(model, "link"))


def config_type_of(model: type) -> type[ModelConfiguration]:
    """The settings of a model class: its own, or those of what it can do."""
    from auscult.models.chart_scoring import ChartConfiguration
    from auscult.models.span_annotation import SpanConfiguration

    default = ChartConfiguration if capabilities(model).scores_codes else SpanConfiguration
    return cast("type[ModelConfiguration]", getattr(model, "config_type", default))


def _wrong(model: type) -> str | None:
    """Why a class is not a model class; empty if it is one."""
    lacking = [part for part in _NEEDED if not hasattr(model, part)]
    can = capabilities(model)
    if not (can.scores_codes or can.finds_spans or can.links_spans):
        lacking.append("one of read, find and link")
    if lacking:
        return f"lacks {', '.join(lacking)}"
    if can.scores_codes and (can.finds_spans or can.links_spans):
        return "has read beside find or link: make two classes, one for charts and one for spans"
    from auscult.models.architecture import ModelConfiguration

    config = config_type_of(model)
    if not (isinstance(config, type) and issubclass(config, ModelConfiguration)):
        return "has a config_type that does not derive from ModelConfiguration"
    return None


def _load(name: str) -> object:
    module, attribute, extra = _MODELS[name]
    try:
        return getattr(import_module(f"{__name__}.{module}"), attribute)
    except ModuleNotFoundError as error:
        if extra is None or (error.name or "").startswith("auscult"):
            raise
        raise MissingExtraError(f"The model {name}", extra) from error
