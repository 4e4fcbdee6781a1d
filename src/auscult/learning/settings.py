"""Settings of something that learns, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from auscult.core import OptionError
from auscult.core.names import require_known

M = TypeVar("M", bound=BaseModel)

RUNNING = ("device", "precision", "threads", "checkpoint_seconds")
"""Settings of where and how training runs, which do not make it another training."""


def configured(model: type[M], what: str, given: Mapping[str, Any]) -> M:
    """The settings of `what`, such as "coder caml", as its model has them; an error says which is
    wrong.
    """
    for name, value in given.items():
        if isinstance(value, Mapping) and name not in model.model_fields:
            raise OptionError(
                f"[{name}] is a table, and settings of the {what} are at the top of the file: take "
                "that line out."
            )
        require_known(name, model.model_fields, f"setting of the {what}")
    try:
        return model(**given)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise OptionError(
            f"Setting {where} of the {what}: {first['msg']}; got {first['input']!r}."
        ) from error
