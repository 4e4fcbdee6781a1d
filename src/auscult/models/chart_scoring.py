"""The capability of models that code whole charts: a score for every code, and evidence.

A `ChartScorer` is independent of files, thresholds and annotations. For each chart it gives every
code of its label space a score between 0 and 1 and, for the codes asked for, the weight of each
range of words as evidence. `Model` (`model.py`) does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from auscult.core.counts import Counts
from auscult.models.architecture import Architecture, ModelConfiguration
from auscult.models.chart_text import ChartText
from auscult.models.open_codes import OpenCode

CROSS_VALIDATED = 3_000
"""Maximum number of training charts for cross-validation: a tenth of more is enough to tune on."""

Scores = npt.NDArray[np.float32]
ClassWeight = Literal["none", "balanced"]
"""Whether the loss weights the charts of a code by the inverse frequency of the code."""

EvidenceRequest = Callable[[ChartText, Scores], npt.NDArray[np.int64]]
"""From a chart and its scores to the codes (indices in the label space) that need evidence."""


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceWeights:
    """The weights of ranges of words as evidence for one code in one chart.

    `weights[k]` is that of words `begins[k]` up to `ends[k]`. A range lies within one note. Ranges
    may overlap: they are alternatives then, of which the one with the highest weight is shown, and
    the first of those with equal weights.
    """

    begins: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]

    @classmethod
    def words(cls, weights: Scores) -> EvidenceWeights:
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
class ScoredChart:
    """The output of a scorer for a chart: a score for every code, evidence for those asked for.

    `beyond` are codes outside the label space, which only a model with a code book gives.
    """

    text: ChartText
    scores: Scores
    evidence: Mapping[int, EvidenceWeights] = field(default_factory=dict)
    beyond: tuple[OpenCode, ...] = ()


class ChartConfiguration(ModelConfiguration):
    """Settings of models that code whole charts."""

    max_length: int | None = Field(
        None, ge=1, description="Maximum length of a chart, in words; the rest is truncated."
    )
    max_chart_length: int | None = Field(
        None,
        ge=1,
        description="Maximum length, in words, of a chart of several notes; `max_length` if only "
        "that is set.",
    )
    keep_numbers: bool = Field(False, description="Keep whole numbers above ten as tokens.")
    evidence_fraction: float = Field(
        1.0,
        ge=0,
        le=1,
        description="Fraction of the training charts with evidence whose evidence is used.",
    )
    target_recall: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Tune the code threshold for this recall instead of the best micro-F1.",
    )
    calibrate: bool = Field(
        True,
        description="Calibrate scores to probabilities on the charts that thresholds are tuned on.",
    )
    min_count: int = Field(
        1,
        ge=1,
        description="Minimum number of training charts for a code to be in the label space.",
    )

    @model_validator(mode="before")
    @classmethod
    def _one_limit_is_for_both(cls, given: Any) -> Any:
        if isinstance(given, dict) and "max_length" in given:
            return {"max_chart_length": given["max_length"], **given}
        return given

    def most_words(self, notes: int) -> int | None:
        """Maximum number of words that are read of a chart with so many notes; None reads all."""
        return self.max_length if notes <= 1 else self.max_chart_length


@runtime_checkable
class CalibratesItself(Protocol):
    """A scorer whose scores may already be calibrated probabilities and are then left alone."""

    @property
    def is_calibrated(self) -> bool:
        """Whether the scores are calibrated probabilities."""
        ...


def needs_calibration(scorer: ChartScorer) -> bool:
    """Whether the scores of a scorer still need calibration."""
    return not (isinstance(scorer, CalibratesItself) and scorer.is_calibrated)


@runtime_checkable
class CountsItself(Protocol):
    """A scorer that selected more than thresholds on its held-out scores.

    Counts on those charts would be too optimistic at any threshold.
    """

    @property
    def held_out_counts(self) -> Counts | None:
        """The counts of codes on charts that were not used for any selection, if computed."""
        ...


class ChartScorer(Architecture, Protocol):
    """An architecture that scores the codes of charts.

    A class may also have:

    - `evidence_step`: the step size in which the evidence threshold is tuned;
    - `joins_words`: whether neighboring words above the threshold form one span (weights are per
      word), or each range is a span of its own;
    - `folds`: folds for tuning thresholds on few charts without a dev split; 0, and many charts,
      hold out a tenth instead;
    - `held_out`, on the instance: out-of-fold scores of the training charts, if fitting computed
      them, with evidence for the gold codes. Without a dev split, thresholds are tuned on these.
    """

    def read(
        self, texts: Iterable[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        """Score charts, in order, with evidence for the codes that `evidence_for` returns."""
        ...


def evidence_step(scorer: ChartScorer | type[ChartScorer]) -> float:
    """The step size in which the evidence threshold of a scorer is tuned."""
    return getattr(scorer, "evidence_step", 0.01)


def joins_words(scorer: ChartScorer | type[ChartScorer]) -> bool:
    """Whether neighboring words above the threshold form one span."""
    return getattr(scorer, "joins_words", True)


def tuning_folds(scorer: ChartScorer | type[ChartScorer], charts: int) -> int:
    """Folds for tuning on so many training charts; 0 uses the dev split, or holds out a tenth."""
    return 0 if charts > CROSS_VALIDATED else getattr(scorer, "folds", 0)
