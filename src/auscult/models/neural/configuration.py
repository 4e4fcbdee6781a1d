"""Settings that neural models share, whatever their encoder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from auscult.learning.training_configuration import TrainingConfiguration
from auscult.models.chart_scoring import ChartConfiguration, ClassWeight
from auscult.models.neural.evidence import STEPS, Evidence, TaggerLoss, default_weight
from auscult.models.neural.explainers import STEP, Explainer

Size = Annotated[int, Field(ge=1)]


class EvidenceConfiguration(TrainingConfiguration, ChartConfiguration):
    """Evidence and losses, whatever reads the chart."""

    max_length: int | None = Field(
        3_500, ge=1, description="Maximum length of a chart, in words; the rest is truncated."
    )
    max_chart_length: int | None = Field(
        5_000,
        ge=1,
        description="Maximum length, in words, of a chart of several notes; `max_length` if only "
        "that is set.",
    )
    evidence: Evidence = Field(
        "attention",
        description="Where evidence comes from: attention, supervised (attention trained on "
        "evidence), linear-tagger or cnn-tagger.",
    )
    evidence_weight: float | None = Field(
        None,
        ge=0,
        description="Weight λ of the evidence loss (MDACE's λ₁ for attention, λ₂ for taggers); "
        "default: 2.5 for attention, 0.05 for taggers, and 0.5 for taggers with "
        "`tagger_loss=mean`.",
    )
    tagger_loss: TaggerLoss = Field(
        "evidence",
        description="What a tagger's loss is averaged over: evidence (the evidence words of each "
        "code, so that they count although they are few) or mean (all words, as published).",
    )
    tagger_hidden_size: int = Field(
        32, ge=1, description="Hidden size of the CNN tagger of evidence."
    )
    focal_gamma: float = Field(
        0.0, ge=0, description="Focusing parameter γ of the focal loss; 0 is binary cross-entropy."
    )
    class_weight: ClassWeight = Field(
        "none",
        description="Weight the charts with a code by the fraction without it, and the reverse "
        "(balanced), or all alike (none).",
    )
    metric_for_best_model: Literal["micro-f1", "loss"] = Field(
        "micro-f1", description="Metric on dev that selects the epoch to keep."
    )
    explainer: Explainer = Field(
        "none",
        description="Attribution method for evidence: attention, attingrad or "
        "integrated-gradients; overrides `evidence`.",
    )
    explainer_steps: int = Field(32, ge=1, description="Number of steps of integrated gradients.")
    inference_precision: Literal["auto", "32", "bf16"] = Field(
        "auto",
        description="Floating-point precision of inference: 32 bits, bf16 (mixed precision; on "
        "CPUs with bf16 instructions, less than half the time, and scores differ in the third "
        "decimal), or auto: the training precision on a GPU, 32 bits on a CPU.",
    )

    @property
    def weight(self) -> float:
        """λ in force."""
        given = self.evidence_weight
        return default_weight(self.evidence, self.tagger_loss) if given is None else given

    @property
    def step(self) -> float:
        """The step in which the evidence threshold is tuned."""
        return STEPS[self.evidence] if self.explainer == "none" else STEP


class WordConfiguration(EvidenceConfiguration):
    """Words and the embeddings of words and codes.

    Without `descriptions` and `match`, which help codes with few charts, the networks are the
    published ones.
    """

    batch_size: int = Field(4, ge=1, description="Number of charts in a batch.")
    epochs: int = Field(12, ge=1, description="Maximum number of epochs.")
    learning_rate: float = Field(
        2e-3, gt=0, description="Peak learning rate (`lr_scheduler_type` sets its decay)."
    )
    warmup_ratio: float = Field(0.05, ge=0, lt=1, description="Fraction of the steps for warmup.")
    min_df: int = Field(
        3, ge=1, description="Minimum document frequency of a word, in training charts."
    )
    word_vectors: Path | None = Field(
        None, description="File of pretrained word vectors, in word2vec's text format."
    )
    embedding_dim: int = Field(100, ge=1, description="Dimension of the word embeddings.")
    dropout: float = Field(0.2, ge=0, lt=1, description="Dropout probability.")
    descriptions: bool = Field(
        True, description="Add the words of a code's description to its embedding."
    )
    match: bool = Field(
        True,
        description="Add to a code's score how well the attended words match its embedding.",
    )
