"""The settings of a model, checked, from those that are given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auscult.learning.settings import configured
from auscult.models import config_type_of, model_class, model_name
from auscult.models.architecture import Architecture, ModelConfiguration


def configure(model: str | type[Architecture], given: Mapping[str, Any]) -> ModelConfiguration:
    """The settings of a model, checked, from those that are given."""
    settings = config_type_of(model_class(model))
    return configured(settings, f"model {model_name(model)}", given).settled()
