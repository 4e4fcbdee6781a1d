"""The writer `transformer`: a small decoder that looks back at the record before every word.

Each variable of the record is one item to attend to. Norms come before attention and feed-forward
layers; keys and values of earlier words are kept, so that a step costs one word.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, cast

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional

from auscult.learning.vocabulary import PADDING
from auscult.writers.batching import RecordBatch
from auscult.writers.decoding import State
from auscult.writers.neural import SPECIAL, NeuralConfiguration, NeuralPen, WriterNetwork


class TransformerConfiguration(NeuralConfiguration):
    """Sizes of the network."""

    width: int = Field(128, ge=2, description="Dimensions of words and places of the record.")
    heads: int = Field(4, ge=1, description="Heads of attention; they divide the width.")
    layers: int = Field(2, ge=1, description="Layers.")
    dropout: float = Field(0.2, ge=0, lt=1, description="Share of inputs dropped in training.")

    def model_post_init(self, _: object) -> None:
        """Refuse heads that cannot share the width."""
        if self.width % self.heads:
            raise ValueError(f"{self.heads} heads cannot share a width of {self.width}")


class Attention(nn.Module):
    """Attention of several heads: N rows ask Q questions about K items."""

    def __init__(self, config: TransformerConfiguration) -> None:
        super().__init__()
        self.heads, self.dropout = config.heads, config.dropout
        self.ask = nn.Linear(config.width, config.width)
        self.tell = nn.Linear(config.width, 2 * config.width)
        self.output = nn.Linear(config.width, config.width)

    def told(self, items: Tensor) -> tuple[Tensor, Tensor]:
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


class Layer(nn.Module):
    """Words look at earlier words, then at the record, then think."""

    def __init__(self, config: TransformerConfiguration) -> None:
        super().__init__()
        width = config.width
        self.words, self.record = Attention(config), Attention(config)
        self.think = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, hidden: Tensor, record: State, mask: Tensor, past: State | None = None
    ) -> tuple[Tensor, State]:
        """One more layer for (N, T, W), and the keys and values of all words so far."""
        asking = self.norms[0](hidden)
        keys, values = self.words.told(asking)
        if past is not None:
            keys, values = torch.cat([past[0], keys], 2), torch.cat([past[1], values], 2)
        hidden = hidden + self.dropout(self.words(asking, keys, values, None, causal=past is None))
        looked = self.record(self.norms[1](hidden), *record, mask, causal=False)
        hidden = hidden + self.dropout(looked)
        return hidden + self.dropout(self.think(self.norms[2](hidden))), (keys, values)


class TransformerNetwork(WriterNetwork):
    """Words and positions through layers; a softmax over words after each."""

    def __init__(
        self, places: int, words: int, longest: int, config: TransformerConfiguration
    ) -> None:
        super().__init__(words)
        self.places = nn.Embedding(places, config.width)
        self.embedding = nn.Embedding(words + SPECIAL, config.width, padding_idx=PADDING)
        # Those of nearly all texts; beyond, they are one.
        self.positions = nn.Embedding(longest + 1, config.width)
        for each in (self.places, self.embedding, self.positions):
            nn.init.normal_(each.weight, std=0.05)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width)
        self.dropout = nn.Dropout(config.dropout)

    def logits(self, records: RecordBatch, words: Tensor) -> Tensor:
        record, mask = self._read(records)
        hidden = self._embed(words, torch.arange(words.shape[1], device=words.device))
        for layer in self._layers():
            hidden, _ = layer(hidden, layer.record.told(record), mask)
        return self._output(hidden)

    def start(self, records: RecordBatch) -> State:
        record, mask = self._read(records)
        at = torch.zeros(len(records), dtype=torch.int64, device=record.device)
        return mask, at, *(part for layer in self._layers() for part in layer.record.told(record))

    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        mask, at, *kept = state
        depth = 2 * len(self.layers)
        record, past = kept[:depth], kept[depth:]
        hidden = self._embed(words[:, None], at[:, None])  # (N, 1, W)
        told: list[Tensor] = []
        for number, layer in enumerate(self.layers):
            own = slice(2 * number, 2 * number + 2)
            hidden, after = layer(hidden, record[own], mask, past[own] or None)
            told += after
        return self._output(hidden[:, 0]), (mask, at + 1, *record, *told)

    def _read(self, records: RecordBatch) -> tuple[Tensor, Tensor]:
        at, mask = records.padded()
        return self.places(at), mask[:, None, None]  # (B, K, W), (B, 1, 1, K)

    def _layers(self) -> Iterator[Layer]:
        return (cast(Layer, layer) for layer in self.layers)

    def _embed(self, words: Tensor, at: Tensor) -> Tensor:
        at = at.clamp_max(self.positions.num_embeddings - 1)
        return cast(Tensor, self.dropout(self.embedding(words) + self.positions(at)))

    def _output(self, hidden: Tensor) -> Tensor:
        """Scores by the words' own embeddings, which saves half of the weights."""
        return cast(Tensor, self.norm(hidden) @ self.embedding.weight.T)


class Transformer(NeuralPen):
    """The writer `transformer`."""

    config_type: ClassVar[type[TransformerConfiguration]] = TransformerConfiguration

    @classmethod
    def make(
        cls, places: int, words: int, longest: int, config: TransformerConfiguration
    ) -> TransformerNetwork:
        return TransformerNetwork(places, words, longest, config)
