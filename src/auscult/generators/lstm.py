"""The generator `lstm`: an LSTM decoder conditioned on the record.

The record, a sparse binary vector, is mapped to a dense one. The LSTM gets it before the first word
and then either never again, as in "show and tell" (Vinyals et al. 2015) and in Lee 2018, or with
every word, where it also enters the output layer (Cho et al. 2014). The map to the dense vector is
pretrained as an autoencoder of the records; then everything is trained together.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

import torch
from pydantic import Field
from scipy.sparse import csr_array
from torch import Tensor, nn
from torch.nn import functional

from auscult.generators.batching import RecordBatch, record_batch
from auscult.generators.decoding import State
from auscult.generators.neural import (
    SPECIAL,
    GeneratorNetwork,
    NeuralGenerator,
    NeuralGeneratorConfiguration,
    fingerprint,
)
from auscult.learning.checkpoint import Checkpoint
from auscult.learning.devices import isolated_random_state, seed_torch
from auscult.learning.training import train
from auscult.learning.word_vocabulary import PADDING

_SMALL = 0.1
Activation = Literal["none", "relu"]


class LstmConfiguration(NeuralGeneratorConfiguration):
    """Settings. The published sizes are the defaults; with `once`, many texts are needed."""

    batch_size: int = Field(64, ge=1, description="Number of texts in a batch.")
    epochs: int = Field(12, ge=1, description="Maximum number of epochs.")
    learning_rate: float = Field(
        4e-3, gt=0, description="Peak learning rate (`lr_scheduler_type` sets its decay)."
    )
    hidden_size: int = Field(
        128, ge=1, description="Hidden size of the LSTM and size of all embeddings."
    )
    activation: Activation = Field("none", description="Activation of the record's dense layer.")
    record_at: Literal["once", "every"] = Field(
        "every", description="Feed the record at every step, or once before the first (Lee 2018)."
    )
    dropout: float = Field(0.2, ge=0, lt=1, description="Dropout probability.")
    autoencoder_epochs: int = Field(
        15, ge=0, description="Number of epochs to pretrain the record autoencoder; 0 is none."
    )
    autoencoder_batch_size: int = Field(
        256, ge=1, description="Number of records in a batch of the autoencoder."
    )
    autoencoder_activation: Literal["same", "none", "relu"] = Field(
        "same",
        description="Activation of the record's dense layer while the autoencoder is pretrained; "
        "same: that of `activation`, so that it is pretrained as it is used.",
    )

    @property
    def pretrained_activation(self) -> Activation:
        """That of the autoencoder."""
        if self.autoencoder_activation == "same":
            return self.activation
        return self.autoencoder_activation


class RecordReader(nn.Module):
    """A sparse record as a dense vector: the sum of an embedding for each index that is set."""

    def __init__(self, places: int, width: int) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag(places, width, mode="sum")
        self.bias = nn.Parameter(torch.zeros(width))
        nn.init.xavier_uniform_(self.bag.weight)

    def forward(self, records: RecordBatch) -> Tensor:
        """(B, W)."""
        return cast(Tensor, self.bag(records.places, records.offsets) + self.bias)


class Autoencoder(nn.Module):
    """An autoencoder of records; its encoder is the generator's record reader."""

    def __init__(self, reader: RecordReader, activation: Activation) -> None:
        super().__init__()
        self.reader = reader
        self.is_rectified = activation == "relu"
        places, width = reader.bag.weight.shape
        self.back = nn.Linear(width, places)

    def forward(self, records: RecordBatch) -> Tensor:
        """The mean binary cross-entropy over all places."""
        dense = self.reader(records)
        reconstructed = self.back(dense.relu() if self.is_rectified else dense)  # (B, R)
        at, mask = records.padded()
        target = (
            torch.zeros_like(reconstructed)
            .scatter_add_(1, at, mask.to(reconstructed))
            .clamp_max(1.0)
        )
        return functional.binary_cross_entropy_with_logits(reconstructed, target)


class LstmNetwork(GeneratorNetwork):
    """The record, then the words, through one LSTM; a softmax over words at each step."""

    def __init__(self, places: int, words: int, config: LstmConfiguration) -> None:
        super().__init__(words)
        width, size = config.hidden_size, words + SPECIAL
        self.reader = RecordReader(places, width)
        self.is_rectified = config.activation == "relu"
        self.is_repeated = config.record_at == "every"
        self.embedding = nn.Embedding(size, width, padding_idx=PADDING)
        self.dropout = nn.Dropout(config.dropout)
        self.lstm = nn.LSTM(2 * width if self.is_repeated else width, width, batch_first=True)
        self.output = nn.Linear(width, size)
        self.reminder = nn.Linear(width, size, bias=False) if self.is_repeated else None
        # So that a record that is read once and first is neither drowned out nor forgotten.
        nn.init.uniform_(self.embedding.weight, -_SMALL, _SMALL)
        with torch.no_grad():
            self.lstm.get_parameter("bias_ih_l0")[width : 2 * width] = 1.0

    def logits(self, records: RecordBatch, words: Tensor) -> Tensor:
        dense = self._read(records)
        inputs = torch.cat([self._first(dense), self._inputs(self.embedding(words), dense)], 1)
        hidden, _ = self.lstm(self.dropout(inputs))  # (B, 1 + T, W)
        scores: Tensor = self.output(self.dropout(hidden[:, 1:]))
        return scores + self._reminded(dense)[:, None]

    def start(self, records: RecordBatch) -> State:
        dense = self._read(records)
        _, (hidden, cell) = self.lstm(self._first(dense))
        return hidden[0], cell[0], dense, self._reminded(dense)

    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        hidden, cell, dense, reminded = state
        given = self._inputs(self.embedding(words[:, None]), dense)
        _, (hidden, cell) = self.lstm(given, (hidden[None], cell[None]))
        return self.output(hidden[0]) + reminded, (hidden[0], cell[0], dense, reminded)

    def _read(self, records: RecordBatch) -> Tensor:
        dense: Tensor = self.reader(records)
        return dense.relu() if self.is_rectified else dense

    def _first(self, dense: Tensor) -> Tensor:
        """The input before the first word, when there is nothing but the record: (B, 1, I)."""
        alone = dense[:, None]
        return self._inputs(torch.zeros_like(alone), dense) if self.is_repeated else alone

    def _inputs(self, reconstructed: Tensor, dense: Tensor) -> Tensor:
        """Word embeddings (B, T, W), with the record beside each where it is fed: (B, T, I)."""
        if not self.is_repeated:
            return reconstructed
        return torch.cat([reconstructed, dense[:, None].expand(-1, reconstructed.shape[1], -1)], 2)

    def _reminded(self, dense: Tensor) -> Tensor:
        """What the record adds to the logits of all words, (B, V), at every position."""
        if self.reminder is None:
            return dense.new_zeros(len(dense), 1)
        return cast(Tensor, self.reminder(self.dropout(dense)))


class LstmGenerator(NeuralGenerator):
    """The generator `lstm`."""

    config_type: ClassVar[type[LstmConfiguration]] = LstmConfiguration

    @classmethod
    def make(cls, places: int, words: int, longest: int, config: LstmConfiguration) -> LstmNetwork:
        return LstmNetwork(places, words, config)

    @classmethod
    def pretrain(
        cls, network: Any, vectors: csr_array, config: LstmConfiguration,
        *, seed: int, directory: Path | None,
    ) -> None:  # fmt: skip
        """Initialize the record reader from an autoencoder of the records."""
        if not config.autoencoder_epochs:
            return
        chosen = config.model_copy(
            update={
                "batch_size": config.autoencoder_batch_size,
                "epochs": config.autoencoder_epochs,
            }
        )

        def make(places: Sequence[int]) -> RecordBatch:
            return record_batch(vectors[list(places)])

        with isolated_random_state(torch.device("cpu")):
            seed_torch(seed, "autoencoder")
            there_and_back = Autoencoder(network.reader, config.pretrained_activation)
        train(
            there_and_back,
            [1] * vectors.shape[0],
            make,
            chosen,
            seed=seed,
            checkpoint=None
            if directory is None
            else Checkpoint(
                directory / "autoencoder.safetensors", fingerprint(chosen, seed, vectors)
            ),
        )
