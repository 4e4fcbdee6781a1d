"""The settings of every coder, made from the models that check them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from auscult.coders import CODERS, SPAN_CODERS, scorer, span_coder
from auscult.coders.contract import Configuration

_START = """# Settings of the coders

<!-- Made from the code by `make docs`; changes here are overwritten. -->

What `auscult train --set KEY=VALUE` and the lines of a `--config FILE.toml` may say. A value is
written as in TOML: `true`, `0.5`, `["a", "b"]`; what is none of these is taken as text.
"""
_HEAD = "| setting | default | |\n| --- | --- | --- |\n"


def page() -> str:
    """The settings of all coders of charts, then of each, then of the coders of concepts."""
    shared = Configuration.model_fields
    parts = [_START, "\n## Of every coder of charts\n\n", _table(shared.items())]
    for kind in sorted(CODERS):
        fields = scorer(kind).config_type.model_fields
        own = [(name, field) for name, field in fields.items() if _differs(name, field, shared)]
        parts += [f"\n## {kind}\n\n", _table(own) if own else "Those of every coder.\n"]
    for kind in sorted(SPAN_CODERS):
        model: type[BaseModel] = span_coder(kind).config_type
        parts += [f"\n## {kind}\n\n", _table(model.model_fields.items())]
    return "".join(parts)


def _differs(name: str, field: FieldInfo, shared: Mapping[str, FieldInfo]) -> bool:
    return name not in shared or _default(field) != _default(shared[name])


def _table(fields: Iterable[tuple[str, FieldInfo]]) -> str:
    rows = (f"| `{name}` | {_default(field)} | {_says(field)} |\n" for name, field in fields)
    return _HEAD + "".join(rows)


def _says(field: FieldInfo) -> str:
    said = (field.description or "").replace("|", "\\|")
    choices = _choices(field.annotation)
    if choices and not all(choice in said for choice in choices):
        return f"{said} One of {', '.join(f'`{choice}`' for choice in choices)}."
    return said


def _choices(annotation: Any) -> list[str]:
    return [str(one) for one in get_args(annotation)] if get_origin(annotation) is Literal else []


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    if value is PydanticUndefined:
        return "to be given"
    if value is None or (not isinstance(value, bool | int | float) and not value):
        return "–"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple | list):
        return f"`[{', '.join(chr(34) + str(one) + chr(34) for one in value)}]`"
    return f"`{value}`"
