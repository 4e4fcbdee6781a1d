"""The one contract of every model: fit on training data, save, load.

A model class (an *architecture*) implements `fit`, `save` and `load`, and at least one capability:

- `ChartScorer` (`chart_scoring.py`): scores every code of the label space for whole charts;
- `SpanFinder` (`span_annotation.py`): finds spans in notes and annotates them;
- `SpanLinker` (`span_annotation.py`): links given spans to concepts.

`Model` (`model.py`) wraps a fitted architecture with its card, thresholds and directory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field

from auscult.codes.vocabulary import Vocabulary
from auscult.corpus.readers import ChartChoice
from auscult.models.entities.gold_mentions import MarkedNote
from auscult.models.examples import Example
from auscult.models.label_space import LabelSpace

NO_LABELS = LabelSpace((), ())


class ModelConfiguration(BaseModel):
    """Settings of every model. A capability adds its own, and an architecture adds more."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    categories: tuple[str, ...] | None = Field(
        None, description="Note categories to read; default: all."
    )
    annotators: tuple[str, ...] | None = Field(
        None,
        description="Annotators to train on; default: all, or the gold standard if there is one.",
    )
    charts: ChartChoice = Field(
        "annotated",
        description="Train on the charts (notes, for spans) that the annotators have read, or on "
        "all; unread ones then count as having no annotations.",
    )
    systems: tuple[str, ...] | None = Field(
        None, description="Code systems to train on; default: all."
    )

    def settled(self) -> Self:
        """The same with defaults that depend on other models filled in, so that it can be saved."""
        return self


@dataclass(frozen=True, slots=True, eq=False)
class Resources:
    """What a fitted architecture needs besides its own files."""

    labels: LabelSpace = NO_LABELS
    vocabulary: Vocabulary | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TrainingData:
    """The training charts in the two forms that architectures use.

    A `ChartScorer` gets `train`, `dev` and `labels`; `dev` may be empty and decides when training
    stops, nothing else. Models of spans get `notes` and `vocabulary`.
    """

    train: Sequence[Example] = ()
    dev: Sequence[Example] = ()
    labels: LabelSpace = NO_LABELS
    notes: Sequence[MarkedNote] = ()
    vocabulary: Vocabulary | None = None


class Architecture(Protocol):
    """A model class. The class is what the registry names; an instance is fitted.

    A class may also have `config_type`, its settings, a subclass of the `ModelConfiguration` of
    what it can do, and `name`, which is otherwise the name of the class.
    """

    @classmethod
    def fit(
        cls, data: TrainingData, config: Any, *, seed: int, directory: Path | None = None
    ) -> Self:
        """Train with the settings in `config`, an instance of `config_type`.

        Long training keeps its checkpoints in `directory` and resumes from them.
        """
        ...

    def save(self, directory: Path) -> None:
        """Write the parameters into an existing directory, without pickle."""
        ...

    @classmethod
    def load(cls, directory: Path, resources: Resources, config: Any) -> Self:
        """Read what `save` wrote."""
        ...
