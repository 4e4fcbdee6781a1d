"""Settings of inference, which a saved model may be run with instead of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auscult.core import OptionError
from auscult.learning.settings import configured
from auscult.models.architecture import ModelConfiguration
from auscult.models.wrapping import WrappingConfiguration

_NAMES = ("batch_size", "chunk_batch_size", "device", "inference_precision", "threads")


def with_inference_settings(
    kind: str, config: ModelConfiguration, given: Mapping[str, Any]
) -> ModelConfiguration:
    """The settings of a model with others of inference; any other setting is an error."""
    if not given:
        return config
    there = [name for name in _NAMES if name in type(config).model_fields]
    if not there and isinstance(config, WrappingConfiguration):
        # Wrong ones are found by the wrapped model.
        with_inference_settings(config.model, config.of_model(), given)
        given = {"settings": {**config.settings, **given}}
        return configured(type(config), f"model {kind}", {**config.model_dump(), **given})
    for name in given:
        if name not in there:
            choice = f"can be run with other {', '.join(there)}" if there else "has none to choose"
            raise OptionError(
                f"{name} is not an inference setting of the model {kind}, which {choice}. All "
                "other settings are fixed in training."
            )
    return configured(type(config), f"model {kind}", {**config.model_dump(), **given})
