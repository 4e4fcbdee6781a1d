"""The coder `bigru`: a short text read both ways by a recurrent network, and one code for it.

As a classifier of chief complaints (Lee 2018, supplement S4): embeddings of 200 dimensions, a GRU
of 100 in each direction, a softmax over the codes. Its evidence is what integrated gradients say.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal, Self, cast

import numpy as np
import torch
from pydantic import Field, field_validator
from torch import Tensor, nn

from auscult.coders.examples import Example
from auscult.coders.labels import LabelSpace
from auscult.coders.neural.batching import Batch, Item, collate, item
from auscult.coders.neural.configuration import EvidenceConfiguration
from auscult.coders.neural.evidence import Pairs
from auscult.coders.neural.explainers import Explainer
from auscult.coders.neural.network import Encoded
from auscult.coders.neural.reading import NeuralScorer
from auscult.coders.sequence import ChartText
from auscult.learning.devices import own_dice, threads, throw
from auscult.learning.vocabulary import PADDING, Vocabulary
from auscult.learning.weights import load_weights, save_weights


class BiGruConfiguration(EvidenceConfiguration):
    """The published values are the defaults."""

    batch: int = Field(128, ge=1, description="Charts a step.")
    epochs: int = Field(30, ge=1, description="Times every chart is seen, unless stopped early.")
    patience: int = Field(
        2, ge=1, description="Epochs without a better micro-F1 on dev before training stops."
    )
    learning_rate: float = Field(1e-3, gt=0, description="The largest; it rises, then falls to 0.")
    warmup: float = Field(0.05, ge=0, lt=1, description="Share of the steps in which it rises.")
    word_charts: int = Field(
        2, ge=1, description="Training charts a word must be in to be known by itself."
    )
    embedding: int = Field(200, ge=1, description="Dimensions of a word's embedding.")
    width: int = Field(100, ge=1, description="Dimensions of the GRU, in each direction.")
    dropout: float = Field(0.2, ge=0, lt=1, description="Share of inputs dropped in training.")
    pooling: Literal["last", "max"] = Field(
        "last", description="Code by the last states, or by the largest of all: for longer texts."
    )
    one_code: bool = Field(
        True, description="A softmax over the codes; otherwise each code stands by itself."
    )
    explainer: Explainer = Field("integrated-gradients", description="How evidence is shown.")
    explainer_steps: int = Field(8, ge=1, description="Steps of integrated gradients.")

    @field_validator("explainer")
    @classmethod
    def _explains(cls, explainer: Explainer) -> Explainer:
        if explainer == "none":
            raise ValueError("a GRU has no attention to show; use integrated-gradients")
        return explainer


class BiGruNetwork(nn.Module):
    """Words, a GRU in both directions, and a score for every code."""

    def __init__(self, words: int, labels: int, config: BiGruConfiguration) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(words, config.embedding, padding_idx=PADDING)
        self.dropout = nn.Dropout(config.dropout)
        self.gru = nn.GRU(config.embedding, config.width, batch_first=True, bidirectional=True)
        self.output = nn.Linear(2 * config.width, labels)

    def forward(self, batch: Batch) -> Tensor:
        """The loss of a batch: cross-entropy, a chart's codes sharing its weight."""
        scores = self._scores(self.encode(batch, self.embed(batch.words)))
        if not self.config.one_code:
            return nn.functional.binary_cross_entropy_with_logits(scores, batch.gold)
        shares = batch.gold / batch.gold.sum(1, keepdim=True).clamp_min(1.0)
        return -(shares * scores.log_softmax(1)).sum(1).mean()

    def embed(self, words: Tensor) -> Tensor:
        """The embeddings of words, (B, T) → (B, T, E)."""
        return cast(Tensor, self.dropout(self.embedding(words)))

    def encode(self, batch: Batch, embedded: Tensor) -> Encoded:
        """The states of both directions, (B, T, 2W), 0 at padding."""
        lengths = batch.mask.sum(1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(
            embedded, lengths, batch_first=True, enforce_sorted=False
        )
        # cuDNN gives no gradients to a network that is not in training.
        with torch.backends.cudnn.flags(enabled=self.training):
            states, _ = self.gru(packed)
        hidden, _ = nn.utils.rnn.pad_packed_sequence(
            states, batch_first=True, total_length=embedded.shape[1]
        )
        return Encoded(hidden, hidden, batch.mask)

    def logits(self, encoded: Encoded, codes: Tensor | None = None) -> Tensor:
        """What the sigmoid makes scores of, (B, L): with one code to give, its softmax."""
        scores = self._scores(encoded)
        if self.config.one_code:
            # sigmoid(z − log Σ of the others) is the softmax.
            shares = scores.double().softmax(1).clamp(1e-12, 1 - 1e-12)
            scores = torch.logit(shares).to(scores)
        return scores if codes is None else scores[:, codes]

    def pairs(self, encoded: Encoded, rows: Tensor, codes: Tensor) -> Pairs:
        """The pairs of chart and code; there is no attention, so that of every word is the same."""
        mask = encoded.mask[rows]
        even = torch.log(mask / mask.sum(1, keepdim=True))
        return Pairs(even, encoded.hidden, rows, self.output.weight[codes], mask)

    def weights(self, encoded: Encoded, rows: Tensor, codes: Tensor) -> Tensor:
        """The same for every word; evidence is shown by an explainer instead."""
        return self.pairs(encoded, rows, codes).log_attention.exp()

    def _scores(self, encoded: Encoded) -> Tensor:
        if self.config.pooling == "max":
            read = encoded.hidden.masked_fill(~encoded.mask[..., None], -1.0).amax(1)
        else:
            width = self.config.width
            rows = torch.arange(len(encoded.mask), device=encoded.mask.device)
            last = encoded.mask.sum(1) - 1
            forth, back = encoded.hidden[rows, last, :width], encoded.hidden[:, 0, width:]
            read = torch.cat([forth, back], 1)
        return cast(Tensor, self.output(self.dropout(read)))


class BiGru(NeuralScorer[Item, Batch]):
    """The coder `bigru`."""

    config_type: ClassVar[type[BiGruConfiguration]] = BiGruConfiguration
    config: BiGruConfiguration
    network: BiGruNetwork

    def __init__(
        self, network: BiGruNetwork, vocabulary: Vocabulary, config: BiGruConfiguration
    ) -> None:
        super().__init__(network, len(network.output.bias), config)
        self.vocabulary = vocabulary

    @classmethod
    def fit(
        cls,
        train_on: Sequence[Example],
        dev: Sequence[Example],
        labels: LabelSpace,
        config: BiGruConfiguration,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Learn from examples; dev decides when to stop, if there is one."""
        vocabulary = Vocabulary.of((one.text.words for one in train_on), least=config.word_charts)
        items = [item(one, vocabulary) for one in train_on]
        with threads(config.threads), own_dice(torch.device("cpu")):
            throw(seed, "start")
            network = BiGruNetwork(len(vocabulary), len(labels), config)
        fitted = cls(network, vocabulary, config)
        known = (labels.codes, vocabulary.words)
        fitted.learn(items, dev, seed=seed, known=known, directory=directory)
        return fitted

    def save(self, directory: Path) -> None:
        """Write weights and vocabulary."""
        save_weights(self.network, directory)
        self.vocabulary.write(directory)

    @classmethod
    def load(cls, directory: Path, labels: LabelSpace, config: BiGruConfiguration) -> Self:
        """What `save` wrote, on whatever device there is now."""
        vocabulary = Vocabulary.read(directory)
        with own_dice(torch.device("cpu")):
            network = BiGruNetwork(len(vocabulary), len(labels), config)
        load_weights(network, directory)
        return cls(network, vocabulary, config)

    def item(self, text: ChartText) -> Item:
        return Item(self.vocabulary.places(text.words), np.zeros(0, np.int64))

    def collate(self, items: Sequence[Item]) -> Batch:
        return collate(items, self.labels)

    def embed(self, batch: Batch) -> Tensor:
        return self.network.embed(batch.words)

    def encode(self, batch: Batch, embedded: Tensor) -> Encoded:
        return self.network.encode(batch, embedded)

    def silence(self) -> Tensor:
        return self.network.embed(torch.tensor(PADDING, device=self.device))
