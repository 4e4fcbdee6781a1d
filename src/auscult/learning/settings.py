"""Settings of something that learns, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from auscult.core import OptionError
from auscult.core.names import guess, require_known

M = TypeVar("M", bound=BaseModel)

RUNNING = ("device", "precision", "threads", "checkpoint_seconds")
"""Settings of where and how training runs, which do not make it another training."""


def configured(model: type[M], what: str, given: Mapping[str, Any]) -> M:
    """The settings of `what`, such as "coder caml", as its model has them; an error says which is
    wrong.
    """
    for name, value in given.items():
        is_table = isinstance(value, Mapping) and name not in model.model_fields
        if is_table and not guess(name, model.model_fields, 0.8):
            where = (
                f"those of a member are in [settings.{name}]"
                if "settings" in model.model_fields
                else "its settings stand by themselves, without a heading"
            )
            raise OptionError(f"The {what} has no table [{name}]: {where}.")
        require_known(name, model.model_fields, f"setting of the {what}")
    try:
        return model(**given)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise OptionError(
            f"Setting {where} of the {what}: {first['msg']}; got {first['input']!r}."
        ) from error
