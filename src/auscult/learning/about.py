"""What everything that was learnt and saved says of itself."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """A part of a description, which has these fields and no others."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class LearntFrom(Part):
    """A corpus that was learnt from. `digest` is None when it was never written to disk."""

    name: str
    digest: str | None
    train: str
    dev: str


class Learnt(Part):
    """What was learnt, by which version, with which seed and configuration."""

    layout: int
    """The version of the directory's layout."""
    made_by: str
    kind: str
    seed: int
    configuration: dict[str, Any]
