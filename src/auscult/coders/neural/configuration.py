"""What neural coders can be told, whatever their encoder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from auscult.coders.contract import Configuration
from auscult.coders.neural.evidence import STEPS, WEIGHTS, Evidence
from auscult.coders.neural.explainers import STEP, Explainer
from auscult.learning.training import TrainingConfiguration


def _is_odd(kernel: int) -> int:
    if kernel % 2 == 0:
        raise ValueError(
            f"a kernel is odd, so that a word is in its middle and evidence does not shift; "
            f"got {kernel}"
        )
    return kernel


Kernel = Annotated[int, AfterValidator(_is_odd), Field(ge=1)]
"""How many words a convolution sees."""


class EvidenceConfiguration(TrainingConfiguration, Configuration):
    """Evidence and losses, whatever reads the chart."""

    longest: int | None = Field(
        3_500,
        ge=1,
        description="Words of a chart that are read; what is beyond is cut and counted.",
    )
    longest_chart: int | None = Field(
        5_000,
        ge=1,
        description="Words read of a chart of several notes; as `longest` where only that is set.",
    )
    evidence: Evidence = Field(
        "attention",
        description="How words are pointed at: attention, supervised, linear-tagger, cnn-tagger.",
    )
    evidence_weight: float | None = Field(
        None, ge=0, description="λ, the weight of the evidence loss; by default that of the method."
    )
    tagger_width: int = Field(
        32, ge=1, description="Dimensions of the projections that the CNN tagger sums."
    )
    focal: float = Field(0.0, ge=0, description="γ of the focal loss; 0 is binary cross-entropy.")
    balanced: bool = Field(
        False, description="Weigh charts that have a code by the share of those that have not."
    )
    best_by: Literal["micro-f1", "loss"] = Field(
        "micro-f1", description="What on dev says which epoch's weights to keep."
    )
    explainer: Explainer = Field(
        "none",
        description="Show evidence by gradients instead: attingrad, integrated-gradients.",
    )
    explainer_steps: int = Field(
        32, ge=1, description="Steps in which integrated gradients go from nothing to the words."
    )

    @property
    def weight(self) -> float:
        """λ in force."""
        given = self.evidence_weight
        return WEIGHTS[self.evidence] if given is None else given

    @property
    def step(self) -> float:
        """The step in which the evidence threshold is tuned."""
        return STEPS[self.evidence] if self.explainer == "none" else STEP


class WordConfiguration(EvidenceConfiguration):
    """Words and the embeddings of words and codes.

    Without `descriptions` and `match`, which help codes with few charts, the networks are the
    published ones.
    """

    batch: int = Field(4, ge=1, description="Charts a step.")
    epochs: int = Field(12, ge=1, description="Times every chart is seen, unless stopped early.")
    learning_rate: float = Field(2e-3, gt=0, description="The largest; it rises, then falls to 0.")
    warmup: float = Field(0.05, ge=0, lt=1, description="Share of the steps in which it rises.")
    word_charts: int = Field(
        3, ge=1, description="Training charts a word must be in to be known by itself."
    )
    vectors: Path | None = Field(
        None, description="File of word vectors to start from, in word2vec's text format."
    )
    embedding: int = Field(100, ge=1, description="Dimensions of a word's embedding.")
    dropout: float = Field(0.2, ge=0, lt=1, description="Share of inputs dropped in training.")
    descriptions: bool = Field(
        True, description="Let the words of a code's description be part of its embedding."
    )
    match: bool = Field(
        True,
        description="Let how well the words a code reads match its embedding count for its score.",
    )
