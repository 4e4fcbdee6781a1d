"""The network of the models that read words: embedding, encoder, label-wise attention."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from auscult.learning.step_times import lap
from auscult.learning.word_vocabulary import PADDING
from auscult.models.neural.attention_loss import attended_loss, is_in_one_pass
from auscult.models.neural.batching import ChartBatch
from auscult.models.neural.code_embeddings import CodeEmbeddings
from auscult.models.neural.configuration import WordConfiguration
from auscult.models.neural.evidence import CodePairs, evidence_layer
from auscult.models.neural.label_attention import attend, log_attention
from auscult.models.neural.losses import code_loss


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """B charts of T words, encoded: what attention reads, and the last hidden layer."""

    keys: Tensor  # (B, T, D)
    hidden: Tensor  # (B, T, C)
    mask: Tensor  # (B, T), true where there is a word
    pooled: Tensor | None = None  # (B, C), of the chart as a whole, if that is what is scored


class Encoder(nn.Module, ABC):
    """The part that differs between models. Output i is of word i, and padding is 0."""

    keys: int
    """Dimensions of the keys, and of the embedding of a code."""
    hidden: int
    """Dimensions of the last hidden layer."""

    @abstractmethod
    def forward(self, embedded: Tensor, mask: Tensor) -> Encoded:
        """Encode the embeddings of words, (B, T, E), that are 0 where the mask (B, T) is false."""


class LabelAttentionNetwork(nn.Module):
    """An encoder between word embeddings and label-wise attention.

    The score of a code is a linear function, its own, of what the code reads; and with `match`
    also, by one factor for all codes, of how well that matches the code's embedding.
    """

    share: Tensor | None
    """Of the training charts that have each code, (L,), where the loss is balanced by it."""

    def __init__(self, words: int, labels: int, encoder: Encoder, config: WordConfiguration):
        super().__init__()
        self.config = config
        self.register_buffer("share", None, persistent=False)
        self.embedding = nn.Embedding(words, config.embedding_dim, padding_idx=PADDING)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = encoder
        self.codes = CodeEmbeddings(labels, config.embedding_dim, encoder.keys)
        self.output = nn.Linear(encoder.keys, labels)
        self.pointer = evidence_layer(
            config.evidence, encoder.hidden, encoder.keys, config.tagger_hidden_size,
            config.tagger_loss,
        )  # fmt: skip
        self.match = nn.Parameter(torch.zeros(1), requires_grad=config.match)

    def forward(self, batch: ChartBatch) -> Tensor:
        """The loss of a batch."""
        encoded = self.encode(self.embed(batch.words), batch.mask)
        if is_in_one_pass(encoded.keys):
            lap("forward")
            loss = attended_loss(
                *self.linear(), encoded.keys, encoded.mask,
                batch.gold, self.config.focal_gamma, self.share,
            )  # fmt: skip
        else:
            logits = self.logits(encoded)
            lap("forward")
            loss = code_loss(logits, batch.gold, self.config.focal_gamma, self.share)
        if self.config.weight and len(batch.rows):
            pairs = self.pairs(encoded, batch.rows, batch.codes)
            loss = loss + self.config.weight * self.pointer.loss(pairs, batch.evidence)
        return loss

    def embed(self, words: Tensor) -> Tensor:
        """The embeddings of words, (B, T) → (B, T, E)."""
        return cast(Tensor, self.dropout(self.embedding(words)))

    def encode(self, embedded: Tensor, mask: Tensor) -> Encoded:
        """Embeddings (B, T, E) encoded."""
        return cast(Encoded, self.encoder(embedded, mask))

    def logits(self, encoded: Encoded, codes: Tensor | None = None) -> Tensor:
        """The scores before the sigmoid, (B, L), or those of some codes only."""
        chosen = slice(None) if codes is None else codes
        queries, weight, bias = (each[chosen] for each in self.linear())
        read = attend(queries, encoded.keys, encoded.mask)  # (B, L, D)
        return torch.einsum("bld,ld->bl", read, weight) + bias

    def linear(self) -> tuple[Tensor, Tensor, Tensor]:
        """For every code: its query (L, D), and the output weight (L, D) and bias (L,)."""
        queries = self.queries()
        return queries, self.output.weight + self.match * queries, self.output.bias

    def queries(self) -> Tensor:
        """The embedding of every code, (L, D)."""
        return cast(Tensor, self.codes(self.embedding.weight))

    def pairs(self, encoded: Encoded, rows: Tensor, codes: Tensor) -> CodePairs:
        """The pairs of chart (sorted) and code, (P,) each, with their explicit attention."""
        queries = self.queries()
        attention = log_attention(queries, encoded.keys, encoded.mask, rows, codes)
        return CodePairs(attention, encoded.hidden, rows, queries[codes], encoded.mask[rows])

    def weights(self, encoded: Encoded, rows: Tensor, codes: Tensor) -> Tensor:
        """The weight of each word for the code, for pairs of chart (sorted) and code: (P, T)."""
        return self.pointer.weights(self.pairs(encoded, rows, codes))
