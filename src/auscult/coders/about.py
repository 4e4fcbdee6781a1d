"""What a saved coder says of itself: `coder.json`."""

from __future__ import annotations

import hashlib
from typing import Any

from auscult.coders.decoding import Decoding
from auscult.coders.labels import LabelSpace
from auscult.core import Code
from auscult.learning.about import Learnt, LearntFrom, Part

LAYOUT = 2
"""The version of the directory's layout. A reader refuses a newer one. 2: scores are calibrated."""


class Source(LearntFrom):
    """The corpus a coder learnt from."""

    charts: int
    category: str | None = None
    """The category of note that most evidence was in, which a note without one is taken to be."""
    uncategorized: float = 0.0
    """The share of the notes that had no category."""


class LabelEntry(Part):
    """A code of the label space and the number of training charts that have it."""

    system: str
    value: str
    charts: int


class About(Learnt):
    """Kind, version, configuration, label space, thresholds and where they come from."""

    layout: int = LAYOUT
    replicas: int = 1
    """Processes that trained together, which with the seed makes the weights what they are."""
    decoding: Decoding
    source: Source
    tuning: dict[str, Any]
    """How the thresholds were found: on which charts, with what counts."""
    truncation: dict[str, int]
    """What fell off the training charts."""
    labels: tuple[LabelEntry, ...]

    def label_space(self) -> LabelSpace:
        """The codes the coder can give."""
        return LabelSpace(
            tuple(Code(entry.system, entry.value) for entry in self.labels),
            tuple(entry.charts for entry in self.labels),
        )


def label_entries(labels: LabelSpace) -> tuple[LabelEntry, ...]:
    """A label space as `coder.json` has it."""
    return tuple(
        LabelEntry(system=code.system, value=code.value, charts=count)
        for code, count in zip(labels.codes, labels.counts, strict=True)
    )


def chart_digest(chart_id: str) -> str:
    """A chart's id as a saved coder keeps it: enough to know it again, not to read it."""
    return hashlib.sha256(chart_id.encode()).hexdigest()[:16]
