"""What every kind of coder is made of: a scorer that reads charts, and what it returns.

A scorer knows nothing of files, thresholds or annotations. It learns from examples and gives every
code of its label space a score between 0 and 1 for each chart, and for the codes that are asked
for, how much each range of words speaks for them. `Coder` (in `coder.py`) does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, model_validator

from auscult.coders.examples import Example
from auscult.coders.labels import LabelSpace
from auscult.coders.sequence import ChartText
from auscult.core.counts import Counts
from auscult.corpus.readers import Which

Scores = npt.NDArray[np.float32]
Wanted = Callable[[ChartText, Scores], npt.NDArray[np.int64]]
"""Given a chart and its scores: the codes (places in the label space) to show evidence for."""


@dataclass(frozen=True, slots=True, eq=False)
class Pointed:
    """How much ranges of words speak for one code in one chart: `weights[k]` for words
    `begins[k]` up to `ends[k]`. A range lies within one note. Ranges may overlap: they are
    alternatives then, of which the heaviest is shown, and the first of those that weigh the same.
    """

    begins: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]

    @classmethod
    def words(cls, weights: Scores) -> Pointed:
        """A weight for every word of the chart; words of weight 0 are left out."""
        at = np.flatnonzero(weights > 0).astype(np.int32)
        return cls(at, at + 1, weights[at].astype(np.float32))

    def by_word(self, length: int) -> Scores:
        """The weight of every word of a chart: the largest of the ranges it lies in."""
        spread = np.zeros(length, np.float32)
        for begin, end, weight in zip(self.begins, self.ends, self.weights, strict=True):
            np.maximum(spread[begin:end], weight, out=spread[begin:end])
        return spread


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What a scorer makes of a chart: a score for every code, evidence for those asked for."""

    text: ChartText
    scores: Scores
    evidence: Mapping[int, Pointed] = field(default_factory=dict)


class Configuration(BaseModel):
    """What every kind of coder can be told; a kind adds fields of its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    longest: int | None = Field(
        None, ge=1, description="Words of a chart that are read; what is beyond is cut and counted."
    )
    longest_chart: int | None = Field(
        None,
        ge=1,
        description="Words read of a chart of several notes; as `longest` where only that is set.",
    )
    numbers: bool = Field(False, description="Keep whole numbers above ten.")
    evidence_share: float = Field(
        1.0, ge=0, le=1, description="Part of the training charts with evidence that may show it."
    )
    recall: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Set the code threshold for this recall, rather than for the best micro-F1.",
    )
    calibrated: bool = Field(
        True, description="Make scores probabilities, by the charts that thresholds are tuned on."
    )
    minimum: int = Field(1, ge=1, description="Training charts a code must have to be learnt.")
    categories: tuple[str, ...] | None = Field(
        None, description="Categories of notes to read; all by default."
    )
    annotators: tuple[str, ...] | None = Field(
        None, description="Annotators to train on; by default all, or the gold standard of several."
    )
    charts: Which = Field(
        "annotated",
        description="Train on charts that the annotators have read, or on all charts; unread ones "
        "then count as having no codes.",
    )
    systems: tuple[str, ...] | None = Field(
        None, description="Code systems to learn; all by default."
    )

    @model_validator(mode="before")
    @classmethod
    def _one_limit_is_for_both(cls, given: Any) -> Any:
        if isinstance(given, dict) and "longest" in given:
            return {"longest_chart": given["longest"], **given}
        return given

    def most_words(self, notes: int) -> int | None:
        """How many words are read of a chart of so many notes; None is all."""
        return self.longest if notes <= 1 else self.longest_chart

    def settled(self) -> Self:
        """The same with what hangs on other coders written down, so that it can be kept."""
        return self


@runtime_checkable
class MayBeCalibrated(Protocol):
    """A scorer whose scores may be probabilities by the way it learnt, and are then left alone."""

    @property
    def is_calibrated(self) -> bool:
        """Whether they are."""
        ...


def needs_calibration(scorer: Scorer) -> bool:
    """Whether the scores of a scorer are not known to be probabilities."""
    return not (isinstance(scorer, MayBeCalibrated) and scorer.is_calibrated)


@runtime_checkable
class CountsItself(Protocol):
    """A scorer that chose among more than thresholds by its held-out readings.

    Those would make it look too good, whatever threshold they are counted at.
    """

    @property
    def held_out_counts(self) -> Counts | None:
        """The counts of codes on charts by which nothing was chosen, where it took them."""
        ...


class Scorer(Protocol):
    """A kind of coder: the class is what the registry names, an instance is one that learnt."""

    config_type: ClassVar[type[Configuration]]
    evidence_step: ClassVar[float]
    """The step in which the evidence threshold is tuned."""
    joins_words: ClassVar[bool]
    """Whether neighbouring words that pass the threshold are one span (a weight a word), or each
    range is a span of its own."""
    folds: ClassVar[int]
    """Folds for tuning thresholds when there is no dev split; 0 holds out a tenth instead."""

    held_out: Sequence[Reading]
    """Readings of training charts made without having learnt from them, where fitting made some;
    evidence is there for the gold codes. Without a dev split, thresholds are tuned on these. Not
    saved. A kind that makes none may go without."""

    @classmethod
    def fit(
        cls,
        train: Sequence[Example],
        dev: Sequence[Example],
        labels: LabelSpace,
        config: Any,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Learn, as `config` (of the kind's `config_type`) says.

        `dev` may be empty; it decides when to stop and nothing else.

        Work that takes long keeps checkpoints in `directory` and goes on from them.
        """
        ...

    def read(self, texts: Iterable[ChartText], wanted: Wanted) -> Iterator[Reading]:
        """Score charts, in order."""
        ...

    def save(self, directory: Path) -> None:
        """Write what was learnt into a directory that is there; no pickle."""
        ...

    @classmethod
    def load(cls, directory: Path, labels: LabelSpace, config: Any) -> Self:
        """What `save` wrote."""
        ...
