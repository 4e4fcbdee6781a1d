"""The model `bigru`: a bidirectional GRU that predicts one code for a short text.

A classifier of chief complaints (Lee 2018, supplement S4): embeddings of 200 dimensions, a GRU of
100 units in each direction, a softmax over the codes; Adam with a learning rate of 0.001, until the
loss on dev has not improved for 2 epochs. Evidence comes from integrated gradients.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, cast

import torch
from pydantic import Field, field_validator
from torch import Tensor, nn

from auscult.learning.step_times import lap
from auscult.learning.training_configuration import SchedulerType
from auscult.learning.word_vocabulary import PADDING
from auscult.models.chart_scoring import Scores
from auscult.models.decoding import softmax_loss
from auscult.models.examples import Example
from auscult.models.kept_readings import Reading
from auscult.models.neural.batching import ChartBatch
from auscult.models.neural.configuration import EvidenceConfiguration
from auscult.models.neural.evidence import CodePairs
from auscult.models.neural.explainers import Explainer
from auscult.models.neural.network import Encoded
from auscult.models.neural.word_scorer import WordScorer


class BiGruConfiguration(EvidenceConfiguration):
    """The published values are the defaults."""

    batch_size: int = Field(128, ge=1, description="Number of charts in a batch.")
    epochs: int = Field(100, ge=1, description="Maximum number of epochs.")
    patience: int = Field(
        2, ge=1, description="Epochs without improvement on dev before training stops."
    )
    learning_rate: float = Field(
        1e-3, gt=0, description="Peak learning rate (`lr_scheduler_type` sets its decay)."
    )
    lr_scheduler_type: SchedulerType = Field(
        "constant",
        description="Learning rate schedule: no warmup and no decay (constant), or one of the "
        "other neural models' schedules.",
    )
    optimizer: Literal["adamw", "adam"] = Field(
        "adam", description="Optimizer: AdamW, or Adam without weight decay."
    )
    warmup_ratio: float = Field(0.05, ge=0, lt=1, description="Fraction of the steps for warmup.")
    min_df: int = Field(
        2, ge=1, description="Minimum document frequency of a word, in training charts."
    )
    embedding_dim: int = Field(200, ge=1, description="Dimension of the word embeddings.")
    hidden_size: int = Field(100, ge=1, description="Hidden size of the GRU in each direction.")
    dropout: float = Field(0.2, ge=0, lt=1, description="Dropout probability.")
    pooling: Literal["last", "max"] = Field(
        "last", description="Pool the last states, or the maximum over all, for longer texts."
    )
    metric_for_best_model: Literal["micro-f1", "loss"] = Field(
        "loss", description="Metric on dev that selects the epoch to keep."
    )
    single_label: bool = Field(
        True, description="One code for each chart (softmax) instead of any number (sigmoid)."
    )
    explainer: Explainer = Field(
        "integrated-gradients", description="Attribution method for evidence."
    )
    explainer_steps: int = Field(8, ge=1, description="Number of steps of integrated gradients.")

    @field_validator("explainer")
    @classmethod
    def _explains(cls, explainer: Explainer) -> Explainer:
        if explainer in ("none", "attention"):
            raise ValueError("a GRU has no attention to show; use integrated-gradients")
        return explainer


class BiGruNetwork(nn.Module):
    """Words, a GRU in both directions, and a score for every code."""

    def __init__(self, words: int, labels: int, config: BiGruConfiguration) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(words, config.embedding_dim, padding_idx=PADDING)
        self.dropout = nn.Dropout(config.dropout)
        self.gru = nn.GRU(
            config.embedding_dim, config.hidden_size, batch_first=True, bidirectional=True
        )
        self.output = nn.Linear(2 * config.hidden_size, labels)

    def forward(self, batch: ChartBatch) -> Tensor:
        """The loss of a batch: cross-entropy, a chart's codes sharing its weight."""
        scores = self._scores(self.encode(self.embed(batch.words), batch.mask))
        lap("forward")
        if not self.config.single_label:
            return nn.functional.binary_cross_entropy_with_logits(scores, batch.gold)
        shares = batch.gold / batch.gold.sum(1, keepdim=True).clamp_min(1.0)
        return -(shares * scores.log_softmax(1)).sum(1).mean()

    def embed(self, words: Tensor) -> Tensor:
        """The embeddings of words, (B, T) → (B, T, E)."""
        return cast(Tensor, self.dropout(self.embedding(words)))

    def encode(self, embedded: Tensor, mask: Tensor) -> Encoded:
        """The states of both directions, (B, T, 2W), 0 at padding."""
        lengths = mask.sum(1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(
            embedded, lengths, batch_first=True, enforce_sorted=False
        )
        # cuDNN gives no gradients to a network that is not in training.
        with torch.backends.cudnn.flags(enabled=self.training):
            states, _ = self.gru(packed)
        hidden, _ = nn.utils.rnn.pad_packed_sequence(
            states, batch_first=True, total_length=embedded.shape[1]
        )
        return Encoded(hidden, hidden, mask)

    def logits(self, encoded: Encoded, codes: Tensor | None = None) -> Tensor:
        """The logits of the codes, (B, L); with one code per chart, those of its softmax."""
        scores = self._scores(encoded)
        if self.config.single_label:
            # sigmoid(z − log Σ of the others) is the softmax.
            shares = scores.double().softmax(1).clamp(1e-12, 1 - 1e-12)
            scores = torch.logit(shares).to(scores)
        return scores if codes is None else scores[:, codes]

    def pairs(self, encoded: Encoded, rows: Tensor, codes: Tensor) -> CodePairs:
        """The pairs of chart and code; there is no attention, so that of every word is the same."""
        mask = encoded.mask[rows]
        even = torch.log(mask / mask.sum(1, keepdim=True))
        return CodePairs(even, encoded.hidden, rows, self.output.weight[codes], mask)

    def weights(self, encoded: Encoded, rows: Tensor, codes: Tensor) -> Tensor:
        """The same for every word; evidence is shown by an explainer instead."""
        return self.pairs(encoded, rows, codes).log_attention.exp()

    def _scores(self, encoded: Encoded) -> Tensor:
        if self.config.pooling == "max":
            read = encoded.hidden.masked_fill(~encoded.mask[..., None], -1.0).amax(1)
        else:
            width = self.config.hidden_size
            rows = torch.arange(len(encoded.mask), device=encoded.mask.device)
            last = encoded.mask.sum(1) - 1
            forth, back = encoded.hidden[rows, last, :width], encoded.hidden[:, 0, width:]
            read = torch.cat([forth, back], 1)
        return cast(Tensor, self.output(self.dropout(read)))


class BiGru(WordScorer):
    """The model `bigru`."""

    config_type: ClassVar[type[BiGruConfiguration]] = BiGruConfiguration
    config: BiGruConfiguration
    network: BiGruNetwork

    def loss_of(
        self, readings: Sequence[Reading], dev: Sequence[Example], share: Scores | None
    ) -> float:
        if self.config.single_label:
            return softmax_loss(readings, dev)
        return super().loss_of(readings, dev, share)

    @classmethod
    def new_network(cls, words: int, labels: int, config: BiGruConfiguration) -> BiGruNetwork:
        return BiGruNetwork(words, labels, config)
