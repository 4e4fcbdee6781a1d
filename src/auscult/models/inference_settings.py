"""Settings of inference, which a saved model may be run with instead of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from auscult.core import OptionError
from auscult.learning.settings import configured
from auscult.models.architecture import ModelConfiguration

_NAMES = ("batch_size", "chunk_batch_size", "device", "inference_precision", "threads")


@runtime_checkable
class WrapsModel(Protocol):
    """The settings of a model that wraps another, such as `bagging` and `policy`."""

    model: str
    settings: Mapping[str, Any]

    def of_model(self) -> ModelConfiguration:
        """The settings of the wrapped model."""
        ...


def with_inference_settings(
    kind: str, config: ModelConfiguration, given: Mapping[str, Any]
) -> ModelConfiguration:
    """The settings of a model with others of inference; any other setting is an error."""
    if not given:
        return config
    there = [name for name in _NAMES if name in type(config).model_fields]
    if not there and isinstance(config, WrapsModel):
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
