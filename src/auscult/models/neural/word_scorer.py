"""Neural scorers that read words by a vocabulary."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self, cast

import numpy as np
import torch
from torch import Tensor, nn

from auscult.learning.devices import available_or_auto, isolated_random_state, seed_torch, threads
from auscult.learning.weights import load_weights, save_weights
from auscult.learning.word_vocabulary import PADDING, UNKNOWN, WordVocabulary
from auscult.models.architecture import Resources, TrainingData
from auscult.models.chart_text import ChartText
from auscult.models.label_space import LabelSpace
from auscult.models.neural.batching import ChartBatch, EncodedChart, collate, item
from auscult.models.neural.configuration import WordConfiguration
from auscult.models.neural.initialization import start_from_descriptions, start_from_shares
from auscult.models.neural.network import Encoded, Encoder, LabelAttentionNetwork
from auscult.models.neural.neural_scorer import NeuralScorer
from auscult.models.neural.word2vec import start_from_vectors


class WordScorer(NeuralScorer[EncodedChart, ChartBatch]):
    """What the models that know words by a vocabulary share; they bring their network."""

    def __init__(self, network: Any, vocabulary: WordVocabulary, config: Any):
        super().__init__(network, len(network.output.bias), config)
        self.vocabulary = vocabulary

    @classmethod
    @abstractmethod
    def new_network(cls, words: int, labels: int, config: Any) -> nn.Module:
        """A new, untrained network: it embeds words, and encodes under a mask."""

    @classmethod
    def start(
        cls,
        network: Any,
        vocabulary: WordVocabulary,
        labels: LabelSpace,
        items: Sequence[EncodedChart],
    ) -> None:
        """Initialize the weights from code frequencies, descriptions and word vectors."""

    @classmethod
    def fit(
        cls,
        data: TrainingData,
        config: Any,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Train on examples, with early stopping on dev if there is one."""
        train_on, dev, labels = data.train, data.dev, data.labels
        vocabulary = WordVocabulary.of((one.text.words for one in train_on), least=config.min_df)
        items = [item(one, vocabulary) for one in train_on]
        with threads(config.threads), isolated_random_state(torch.device("cpu")):
            seed_torch(seed, "start")
            network = cls.new_network(len(vocabulary), len(labels), config)
            cls.start(network, vocabulary, labels, items)
        fitted = cls(network, vocabulary, config)
        known = (labels.codes, vocabulary.words)
        fitted.train_network(items, dev, seed=seed, known=known, directory=directory)
        return fitted

    def save(self, directory: Path) -> None:
        """Write weights and vocabulary."""
        save_weights(self.network, directory)
        self.vocabulary.write(directory)

    @classmethod
    def load(cls, directory: Path, resources: Resources, config: Any) -> Self:
        """What `save` wrote, on whatever device there is now."""
        labels = resources.labels
        vocabulary = WordVocabulary.read(directory)
        with isolated_random_state(torch.device("cpu")):
            network = cls.new_network(len(vocabulary), len(labels), config)
        load_weights(network, directory)
        device = available_or_auto(config.device)
        return cls(network, vocabulary, config.model_copy(update={"device": device}))

    def knows(self, words: Sequence[str]) -> list[bool]:
        """Whether each word has a vector of its own."""
        places = self.vocabulary.places([word.lower() for word in words])
        return [place != UNKNOWN for place in places.tolist()]

    def item(self, text: ChartText) -> EncodedChart:
        return EncodedChart(self.vocabulary.places(text.words), np.zeros(0, np.int64))

    def collate(self, items: Sequence[EncodedChart]) -> ChartBatch:
        return collate(items, self.labels)

    def embed(self, batch: ChartBatch) -> Tensor:
        return cast(Tensor, self.network.embed(batch.words))

    def encode(self, batch: ChartBatch, embedded: Tensor) -> Encoded:
        return cast(Encoded, self.network.encode(embedded, batch.mask))

    def baseline(self) -> Tensor:
        return cast(Tensor, self.network.embed(torch.tensor(PADDING, device=self.device)))


class AttentionScorer(WordScorer):
    """What `caml` and `effectivecan` share; they bring their encoder."""

    config_type: ClassVar[type[WordConfiguration]]
    config: WordConfiguration
    network: LabelAttentionNetwork

    @classmethod
    @abstractmethod
    def encoder(cls, config: Any) -> Encoder:
        """A new, untrained encoder."""

    @classmethod
    def new_network(
        cls, words: int, labels: int, config: WordConfiguration
    ) -> LabelAttentionNetwork:
        return LabelAttentionNetwork(words, labels, cls.encoder(config), config)

    @classmethod
    def start(
        cls,
        network: LabelAttentionNetwork,
        vocabulary: WordVocabulary,
        labels: LabelSpace,
        items: Sequence[EncodedChart],
    ) -> None:
        start_from_shares(network.output.bias, items)
        if network.config.word_vectors is not None:
            start_from_vectors(network.embedding, vocabulary, network.config.word_vectors)
        if network.config.descriptions:
            start_from_descriptions(network, vocabulary, labels, items)
