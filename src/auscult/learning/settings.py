"""Validation of settings, with clear errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from auscult.core import OptionError
from auscult.core.names import guess, require_known

M = TypeVar("M", bound=BaseModel)

RUNNING = ("device", "precision", "threads", "data_workers", "checkpoint_seconds")
"""Settings of where and how training runs, which do not identify a training run."""


def configured(model: type[M], what: str, given: Mapping[str, Any]) -> M:
    """The validated settings of `what`, such as "model caml"; an error names the wrong one."""
    for name, value in given.items():
        is_table = isinstance(value, Mapping) and name not in model.model_fields
        if is_table and not guess(name, model.model_fields, slips=1):
            where = (
                f"settings of a member go under [settings.{name}]"
                if "settings" in model.model_fields
                else "its settings go at the top level, without a table"
            )
            raise OptionError(f"The {what} has no table [{name}]: {where}.")
        require_known(name, model.model_fields, f"setting of the {what}")
    try:
        return model(**given)
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "missing" and len(first["loc"]) == 1:
            name = str(first["loc"][0])
            raise OptionError(_needed(what, name, model.model_fields[name])) from error
        if not first["loc"]:  # settings that do not go together
            raise OptionError(
                f"Incompatible settings of the {what}: "
                f"{first['msg'].removeprefix('Value error, ')}."
            ) from error
        where = ".".join(map(str, first["loc"]))
        raise OptionError(
            f"Setting {where} of the {what}: {first['msg']}; got {first['input']!r}."
        ) from error


def _needed(what: str, name: str, field: FieldInfo) -> str:
    """What to pass for a setting that has no default, with an example where the field has one."""
    told = (field.description or "").rstrip(".")
    about = f" ({told[0].lower()}{told[1:]})" if told else ""
    example = str((field.examples or ["VALUE"])[0])
    return (
        f"The {what} needs the setting {name}{about}, which has no default: pass --set "
        f"{name}={example}, or in Python {{{name!r}: {example!r}}}."
    )
