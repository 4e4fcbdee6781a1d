"""How a challenge is run: `challenge.json`."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from auscult.core import Code
from auscult.core.version import __version__
from auscult.statistics.cost_sensitive import PAPER, Costs

LAYOUT = 1
"""The version of the directory's layout. A reader refuses a newer one."""


class Feedback(StrEnum):
    """What a team is told once its submission is accepted."""

    COUNTS = "counts"
    """How many documents and codes were recognised, and no more."""
    SCORES = "scores"
    """Its scores as well, from which it can tune on the test set."""


class Counting(StrEnum):
    """Which of a team's accepted submissions is ranked."""

    LAST = "last"
    BEST = "best"
    """By micro-F1. More attempts are then more chances."""


class Document(StrEnum):
    """What is coded as one document."""

    CHART = "chart"
    NOTE = "note"


class Settings(BaseModel):
    """What the organisers decided, once and for all teams."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    layout: int = LAYOUT
    name: str = Field(min_length=1, max_length=100)
    gold: str = Field(description="the annotator whose codes are right")
    humans: tuple[str, ...] = Field((), description="people to be placed among the systems")
    document: Document = Document.CHART
    train: str = "train"
    test: str = "test"
    attempts: int = Field(5, ge=1, description="how many accepted submissions a team has")
    feedback: Feedback = Feedback.COUNTS
    counting: Counting = Counting.LAST
    alpha: float = PAPER.alpha
    beta: float = PAPER.beta
    gamma: float = PAPER.gamma
    teams: tuple[str, ...] = Field((), description="who may take part; everybody when empty")
    codes: tuple[tuple[str, str], ...] = Field(description="the label set: system and value")
    made_by: str = f"auscult {__version__}"

    @property
    def costs(self) -> Costs:
        """What errors cost."""
        return Costs(self.alpha, self.beta, self.gamma)

    @property
    def label_set(self) -> tuple[Code, ...]:
        """The codes that a submission may give."""
        return tuple(Code(system, value) for system, value in self.codes)
