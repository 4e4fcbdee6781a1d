"""The hyperparameters of every model and text generator, made from the classes that check them."""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from docs.tools.library_names import library_name
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from auscult.corpus.records import Cleaning
from auscult.generators import GENERATORS, architecture
from auscult.generators.contract import GeneratorConfiguration, TextDecoding
from auscult.models import CODING_MODELS, ENTITY_MODELS, config_type_of, model_class
from auscult.models.chart_scoring import ChartConfiguration
from auscult.models.pretraining.configuration import PretrainingConfiguration
from auscult.models.semantic.embedding_training import EmbeddingConfiguration
from auscult.models.span_annotation import SpanConfiguration

_START = """# Hyperparameters

<!-- Made from the code by `make docs`; changes here are overwritten. -->

Set a hyperparameter with `auscult train --set NAME=VALUE`, in a TOML file (`--config FILE.toml`),
or in Python as `fit(corpus, "linear", {"C": 10.0})`. Write a value as in TOML: `true`, `0.5`,
`["a", "b"]`; anything else is read as a string. "Same as" names the parameter of the library that
gets the value, or whose parameter means exactly the same.
"""
_HEAD = "| name | type | default | description | same as |\n| --- | --- | --- | --- | --- |\n"
_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", Path: "path"}
_LIMITS = {"ge": "≥ {}", "gt": "> {}", "le": "≤ {}", "lt": "< {}"}

Fields = Iterable[tuple[str, FieldInfo]]


def page() -> str:
    """The models that code charts, the models that find and link entities, the generators."""
    parts = [_START]
    charts = {name: config_type_of(model_class(name)) for name in sorted(CODING_MODELS)}
    parts += _family("Models that code charts", ChartConfiguration, charts)
    spans = {name: config_type_of(model_class(name)) for name in sorted(ENTITY_MODELS)}
    parts += _family("Models that find and link entities", SpanConfiguration, spans)
    parts.append("\n## Pretraining of encoders: `auscult pretrain`\n\n")
    parts.append(_table("pretraining", PretrainingConfiguration.model_fields.items()))
    made = {kind: architecture(kind).config_type for kind in sorted(GENERATORS)}
    parts += _family("Text generators", GeneratorConfiguration, made, "text generator ")
    parts.append("\n### Preprocessing of texts: `cleaning`\n\n")
    parts.append(_table("cleaning", Cleaning.model_fields.items()))
    parts.append(
        "\n### Decoding of neural text generators\n\nOptions of `auscult generate texts`.\n\n"
    )
    parts.append(_table("decoding", TextDecoding.model_fields.items()))
    parts.append("\n## Embeddings of names\n\nSettings of `auscult vocab embed`.\n\n")
    parts.append(_table("embeddings", EmbeddingConfiguration.model_fields.items()))
    return "".join(parts)


def _family(
    title: str, base: type[BaseModel], kinds: Mapping[str, type[BaseModel]], what: str = ""
) -> list[str]:
    """A table of what all of a family have, then one of what each adds or has another default of.

    >>> _family("Toys", ChartConfiguration, {"plain": ChartConfiguration})[-1]
    'No others.\\n'
    """
    shared = base.model_fields
    parts = [f"\n## {title}\n\nAll of them have these.\n\n", _table("", shared.items())]
    for kind, config in kinds.items():
        own = [one for one in config.model_fields.items() if _differs(*one, shared)]
        parts += [f"\n### {what}{kind}\n\n", _table(kind, own) if own else "No others.\n"]
    return parts


def _differs(name: str, field: FieldInfo, shared: Mapping[str, FieldInfo]) -> bool:
    return name not in shared or _default(field) != _default(shared[name])


def _table(of: str, fields: Fields) -> str:
    rows = (
        [f"`{name}`", _type(field), _default(field), _description(field), library_name(of, name)]
        for name, field in fields
    )
    return _HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _description(field: FieldInfo) -> str:
    return (field.description or "").replace("|", "\\|")


def _type(field: FieldInfo) -> str:
    """The type and the range of a value."""
    given = type_name(field.annotation)
    limits = [
        form.format(f"{limit:g}")
        for one in field.metadata
        for name, form in _LIMITS.items()
        if (limit := getattr(one, name, None)) is not None
    ]
    return ", ".join([given, *limits])


def type_name(annotation: Any) -> str:
    """A type in words.

    >>> type_name(int | None), type_name(tuple[str, ...] | None), type_name(Literal["last", "max"])
    ('integer', 'list of strings', '`last` or `max`')
    """
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return type_name(inside[0])
    if origin in (Union, types.UnionType):
        return " or ".join(type_name(one) for one in inside if one is not type(None))
    if origin is Literal:
        return " or ".join(f"`{one}`" for one in inside)
    if origin is tuple:
        return f"list of {type_name(inside[0])}s"
    if isinstance(annotation, type) and issubclass(annotation, str) and annotation is not str:
        return "string"
    return _TYPES.get(annotation, "table")


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    if value is PydanticUndefined:
        return "required"
    if value is None or (not isinstance(value, bool | int | float) and not value):
        return "–"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple | list):
        return f"`[{', '.join(chr(34) + str(one) + chr(34) for one in value)}]`"
    if isinstance(value, BaseModel):
        return "its own table"
    return f"`{value}`"
