"""The model card: the description of a saved model in `model.json`."""

from __future__ import annotations

import hashlib
from typing import Any, Self

from pydantic import Field

from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code
from auscult.learning.card import Card, CardPart, TrainingSource
from auscult.models.decoding import Decoding
from auscult.models.label_space import LabelSpace

LAYOUT = 3
"""The version of the directory's layout. 3: one description for all models."""


class ModelSource(TrainingSource):
    """The corpus a model was trained on."""

    charts: int
    category: str | None = None
    """The note category with the most evidence; notes without a category are read as this one."""
    uncategorized: float = 0.0
    """The share of the notes that had no category."""


class LabelEntry(CardPart):
    """A code of the label space and the number of training charts that have it."""

    system: str
    value: str
    charts: int


class VocabularyUsed(CardPart):
    """The vocabulary that a model was trained with, and its path at that time."""

    name: str
    path: str
    digest: str

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> Self:
        """That of an open vocabulary."""
        manifest = vocabulary.manifest
        path = str(vocabulary.path.resolve())
        return cls(name=manifest.name, path=path, digest=manifest.digest)


class MentionCounts(CardPart):
    """How many mentions a model of spans was trained on."""

    notes: int
    left_out: int = 0
    """Training notes that nobody read, which were not used."""
    mentions: int
    discontinuous: int = 0
    """Mentions of several spans."""
    concepts: int


class ModelCard(Card):
    """The model card: the contents of `model.json`."""

    layout: int = LAYOUT
    replicas: int = 1
    """Processes that trained together; together with the seed this determines the weights."""
    source: ModelSource
    tuning: dict[str, Any]
    """How thresholds were found and what was measured: on which charts, with what counts."""
    decoding: Decoding | None = None
    """Calibration and thresholds of a model that scores codes."""
    truncation: dict[str, int] = Field(default_factory=dict)
    """How much of the training charts was cut off."""
    labels: tuple[LabelEntry, ...] = ()
    """The label space of a model that scores codes."""
    vocabulary: VocabularyUsed | None = None
    mentions: MentionCounts | None = None

    def label_space(self) -> LabelSpace:
        """The codes the model can predict."""
        return LabelSpace(
            tuple(Code(entry.system, entry.value) for entry in self.labels),
            tuple(entry.charts for entry in self.labels),
        )


def label_entries(labels: LabelSpace) -> tuple[LabelEntry, ...]:
    """A label space in the form that `model.json` stores."""
    return tuple(
        LabelEntry(system=code.system, value=code.value, charts=count)
        for code, count in zip(labels.codes, labels.counts, strict=True)
    )


def chart_digest(chart_id: str) -> str:
    """The digest under which a chart's id is saved: it can be recognized but not read."""
    return hashlib.sha256(chart_id.encode()).hexdigest()[:16]
