"""The settings of a challenge: `challenge.json`."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from auscult.core import Code
from auscult.core.version import __version__
from auscult.statistics.cost_sensitive import PAPER, Costs

LAYOUT = 2
"""The version of the directory's layout. A reader refuses a newer one, and reads all older ones.

2: tracks, and a journal in the ledger's file.
"""


class Track(StrEnum):
    """What systems are ranked by."""

    CODES = "codes"
    EVIDENCE = "evidence"
    """The text that supports each code, by the metrics of evidence."""


class Feedback(StrEnum):
    """The feedback a team gets once its submission is accepted."""

    COUNTS = "counts"
    """Only the numbers of recognized documents and codes."""
    SCORES = "scores"
    """The scores as well, with which a team can tune on the test set."""


class RankedSubmission(StrEnum):
    """Which of a team's accepted submissions is ranked."""

    LAST = "last"
    BEST = "best"
    """The best by micro-F1. More attempts then mean more chances."""


class Document(StrEnum):
    """What is coded as one document."""

    CHART = "chart"
    NOTE = "note"


class ChallengeSettings(BaseModel):
    """The organizers' settings, the same for all teams."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    layout: int = LAYOUT
    name: str = Field(min_length=1, max_length=100)
    gold: str = Field(description="the gold annotator")
    humans: tuple[str, ...] = Field((), description="people who are ranked among the systems")
    tracks: tuple[Track, ...] = Field((Track.CODES,), min_length=1)
    document: Document = Document.CHART
    train: str = "train"
    test: str = "test"
    attempts: int = Field(5, ge=1, description="how many accepted submissions a team may make")
    feedback: Feedback = Feedback.COUNTS
    counting: RankedSubmission = RankedSubmission.LAST
    alpha: float = PAPER.alpha
    beta: float = PAPER.beta
    gamma: float = PAPER.gamma
    teams: tuple[str, ...] = Field((), description="teams that may take part; everybody if empty")
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
