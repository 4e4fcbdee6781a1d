"""The generator `transformer`: a small decoder with cross-attention to the record.

Each variable of the record is one item to attend to. Layer norms come before attention and
feed-forward layers; keys and values of earlier words are cached, so that a step costs one word.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, cast

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional

from auscult.generators.batching import RecordBatch
from auscult.generators.decoding import State
from auscult.generators.neural import (
    SPECIAL,
    GeneratorNetwork,
    NeuralGenerator,
    NeuralGeneratorConfiguration,
)
from auscult.learning.word_vocabulary import PADDING


class TransformerGeneratorConfiguration(NeuralGeneratorConfiguration):
    """Sizes of the network."""

    hidden_size: int = Field(128, ge=2, description="Hidden size of the decoder.")
    num_heads: int = Field(
        4, ge=1, description="Number of attention heads; a divisor of the hidden size."
    )
    num_layers: int = Field(2, ge=1, description="Number of decoder layers.")
    dropout: float = Field(0.2, ge=0, lt=1, description="Dropout probability.")

    def model_post_init(self, _: object) -> None:
        """Refuse a number of heads that does not divide the hidden size."""
        if self.hidden_size % self.num_heads:
            raise ValueError(
                f"num_heads must divide hidden_size; got {self.num_heads} and {self.hidden_size}"
            )


class MultiHeadAttention(nn.Module):
    """Multi-head attention of N rows: Q queries over K items."""

    def __init__(self, config: TransformerGeneratorConfiguration) -> None:
        super().__init__()
        self.heads, self.dropout = config.num_heads, config.dropout
        self.ask = nn.Linear(config.hidden_size, config.hidden_size)
        self.tell = nn.Linear(config.hidden_size, 2 * config.hidden_size)
        self.output = nn.Linear(config.hidden_size, config.hidden_size)

    def keys_and_values(self, items: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of items: (N, K, W) → (N, H, K, W / H) twice."""
        keys, values = self.tell(items).chunk(2, dim=2)
        return self._split(keys), self._split(values)

    def forward(
        self, asking: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, *, causal: bool
    ) -> Tensor:
        """(N, Q, W) → (N, Q, W)."""
        seen = functional.scaled_dot_product_attention(
            self._split(self.ask(asking)), keys, values, mask,
            dropout_p=self.dropout if self.training else 0.0, is_causal=causal,
        )  # fmt: skip
        return cast(Tensor, self.output(seen.transpose(1, 2).flatten(2)))

    def _split(self, items: Tensor) -> Tensor:
        rows, count, width = items.shape
        return items.view(rows, count, self.heads, width // self.heads).transpose(1, 2)


class DecoderLayer(nn.Module):
    """Self-attention to earlier words, cross-attention to the record, and a feed-forward layer."""

    def __init__(self, config: TransformerGeneratorConfiguration) -> None:
        super().__init__()
        width = config.hidden_size
        self.words, self.record = MultiHeadAttention(config), MultiHeadAttention(config)
        self.feed_forward = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, hidden: Tensor, record: State, mask: Tensor, past: State | None = None
    ) -> tuple[Tensor, State]:
        """One more layer for (N, T, W), and the keys and values of all words so far."""
        asking = self.norms[0](hidden)
        keys, values = self.words.keys_and_values(asking)
        if past is not None:
            keys, values = torch.cat([past[0], keys], 2), torch.cat([past[1], values], 2)
        hidden = hidden + self.dropout(self.words(asking, keys, values, None, causal=past is None))
        looked = self.record(self.norms[1](hidden), *record, mask, causal=False)
        hidden = hidden + self.dropout(looked)
        return hidden + self.dropout(self.feed_forward(self.norms[2](hidden))), (keys, values)


class TransformerGeneratorNetwork(GeneratorNetwork):
    """Words and positions through layers; a softmax over words after each."""

    def __init__(
        self, places: int, words: int, longest: int, config: TransformerGeneratorConfiguration
    ) -> None:
        super().__init__(words)
        self.places = nn.Embedding(places, config.hidden_size)
        self.embedding = nn.Embedding(words + SPECIAL, config.hidden_size, padding_idx=PADDING)
        # Those of nearly all texts; beyond, they are one.
        self.positions = nn.Embedding(longest + 1, config.hidden_size)
        for each in (self.places, self.embedding, self.positions):
            nn.init.normal_(each.weight, std=0.05)
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.num_layers))
        self.norm = nn.LayerNorm(config.hidden_size)
        self.dropout = nn.Dropout(config.dropout)

    def logits(self, records: RecordBatch, words: Tensor) -> Tensor:
        record, mask = self._read(records)
        hidden = self._embed(words, torch.arange(words.shape[1], device=words.device))
        for layer in self._layers():
            hidden, _ = layer(hidden, layer.record.keys_and_values(record), mask)
        return self._output(hidden)

    def start(self, records: RecordBatch) -> State:
        record, mask = self._read(records)
        at = torch.zeros(len(records), dtype=torch.int64, device=record.device)
        return (
            mask,
            at,
            *(part for layer in self._layers() for part in layer.record.keys_and_values(record)),
        )

    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        mask, at, *kept = state
        depth = 2 * len(self.layers)
        record, past = kept[:depth], kept[depth:]
        hidden = self._embed(words[:, None], at[:, None])  # (N, 1, W)
        keys_and_values: list[Tensor] = []
        for number, layer in enumerate(self.layers):
            own = slice(2 * number, 2 * number + 2)
            hidden, after = layer(hidden, record[own], mask, past[own] or None)
            keys_and_values += after
        return self._output(hidden[:, 0]), (mask, at + 1, *record, *keys_and_values)

    def _read(self, records: RecordBatch) -> tuple[Tensor, Tensor]:
        at, mask = records.padded()
        return self.places(at), mask[:, None, None]  # (B, K, W), (B, 1, 1, K)

    def _layers(self) -> Iterator[DecoderLayer]:
        return (cast(DecoderLayer, layer) for layer in self.layers)

    def _embed(self, words: Tensor, at: Tensor) -> Tensor:
        at = at.clamp_max(self.positions.num_embeddings - 1)
        return cast(Tensor, self.dropout(self.embedding(words) + self.positions(at)))

    def _output(self, hidden: Tensor) -> Tensor:
        """Scores by the words' own embeddings, which saves half of the weights."""
        return cast(Tensor, self.norm(hidden) @ self.embedding.weight.T)


class TransformerGenerator(NeuralGenerator):
    """The generator `transformer`."""

    config_type: ClassVar[type[TransformerGeneratorConfiguration]] = (
        TransformerGeneratorConfiguration
    )

    @classmethod
    def make(
        cls, places: int, words: int, longest: int, config: TransformerGeneratorConfiguration
    ) -> TransformerGeneratorNetwork:
        return TransformerGeneratorNetwork(places, words, longest, config)
