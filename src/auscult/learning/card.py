"""The base of the descriptions of trained models and generators."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class CardPart(BaseModel):
    """A part of a description; unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class TrainingSource(CardPart):
    """A training corpus. `digest` is None if it was never written to disk."""

    name: str
    digest: str | None
    train: str
    dev: str


class Card(CardPart):
    """The version, seed and settings of a training."""

    layout: int
    """The version of the directory's layout."""
    made_by: str
    kind: str
    seed: int
    configuration: dict[str, Any]
