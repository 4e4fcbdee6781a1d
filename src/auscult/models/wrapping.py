"""Settings of models that wrap another model: `bagging` and `policy`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self, cast

from pydantic import Field, field_validator

from auscult.models import coding_names
from auscult.models.chart_scoring import ChartConfiguration
from auscult.models.configuring import configure


class WrappingConfiguration(ChartConfiguration):
    """The wrapped model, and its settings beside those that all models share."""

    wrapper: ClassVar[str]
    """The name of the wrapping model, which does not wrap itself."""

    model: str = Field("linear", description="Model to wrap.")
    settings: Mapping[str, Any] = Field(
        default_factory=dict, description="Hyperparameters of the wrapped model."
    )

    @field_validator("model")
    @classmethod
    def _is_another(cls, kind: str) -> str:
        others = [one for one in coding_names() if one != cls.wrapper]
        if kind not in others:
            raise ValueError(f"{kind!r} cannot be wrapped; choose from {', '.join(others)}")
        return kind

    def of_model(self) -> ChartConfiguration:
        """The settings of the wrapped model: those set here, overridden by its own."""
        shared = {
            name: getattr(self, name)
            for name, field in ChartConfiguration.model_fields.items()
            if getattr(self, name) != field.default
        }
        return cast(ChartConfiguration, configure(self.model, {**shared, **self.settings}))

    def settled(self) -> Self:
        """With the maximum length of the wrapped model, unless one is set."""
        if {"max_length", "max_chart_length"} & self.model_fields_set:
            return self
        wrapped = self.of_model()
        limits = {name: getattr(wrapped, name) for name in ("max_length", "max_chart_length")}
        return self.model_copy(update=limits)
