"""The base of the descriptions of trained models and generators."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class CardPart(BaseModel):
    """A part of a description; unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class TrainingSource(CardPart):
    """A training corpus."""

    name: str
    digest: str | None
    """Of what it held; None from versions that gave a corpus in memory none."""
    files: str | None = None
    """Of the files of the corpus on disk that it was, or was a part of."""
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
