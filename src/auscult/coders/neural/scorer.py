"""Networks that read words, as the scorers of coders."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self, cast

import numpy as np
import torch
from torch import Tensor, nn

from auscult.coders.examples import Example
from auscult.coders.labels import LabelSpace
from auscult.coders.neural.batching import Batch, Item, collate, item
from auscult.coders.neural.configuration import WordConfiguration
from auscult.coders.neural.network import Encoded, Encoder, Network
from auscult.coders.neural.reading import NeuralScorer
from auscult.coders.neural.start import start_from_descriptions, start_from_shares
from auscult.coders.neural.word2vec import start_from_vectors
from auscult.coders.sequence import ChartText
from auscult.learning.devices import own_dice, there_or_auto, threads, throw
from auscult.learning.vocabulary import PADDING, UNKNOWN, Vocabulary
from auscult.learning.weights import load_weights, save_weights


class WordScorer(NeuralScorer[Item, Batch]):
    """What the coders that know words by a vocabulary share; they bring their network."""

    def __init__(self, network: Any, vocabulary: Vocabulary, config: Any):
        super().__init__(network, len(network.output.bias), config)
        self.vocabulary = vocabulary

    @classmethod
    @abstractmethod
    def new_network(cls, words: int, labels: int, config: Any) -> nn.Module:
        """A network with weights to be learnt: it embeds words, and encodes under a mask."""

    @classmethod
    def start(
        cls, network: Any, vocabulary: Vocabulary, labels: LabelSpace, items: Sequence[Item]
    ) -> None:
        """Give the weights a better start than chance, where there is one."""

    @classmethod
    def fit(
        cls,
        train_on: Sequence[Example],
        dev: Sequence[Example],
        labels: LabelSpace,
        config: Any,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Learn from examples; dev decides when to stop, if there is one."""
        vocabulary = Vocabulary.of((one.text.words for one in train_on), least=config.word_charts)
        items = [item(one, vocabulary) for one in train_on]
        with threads(config.threads), own_dice(torch.device("cpu")):
            throw(seed, "start")
            network = cls.new_network(len(vocabulary), len(labels), config)
            cls.start(network, vocabulary, labels, items)
        fitted = cls(network, vocabulary, config)
        known = (labels.codes, vocabulary.words)
        fitted.learn(items, dev, seed=seed, known=known, directory=directory)
        return fitted

    def save(self, directory: Path) -> None:
        """Write weights and vocabulary."""
        save_weights(self.network, directory)
        self.vocabulary.write(directory)

    @classmethod
    def load(cls, directory: Path, labels: LabelSpace, config: Any) -> Self:
        """What `save` wrote, on whatever device there is now."""
        vocabulary = Vocabulary.read(directory)
        with own_dice(torch.device("cpu")):
            network = cls.new_network(len(vocabulary), len(labels), config)
        load_weights(network, directory)
        device = there_or_auto(config.device)
        return cls(network, vocabulary, config.model_copy(update={"device": device}))

    def knows(self, words: Sequence[str]) -> list[bool]:
        """Whether each word has a vector of its own."""
        places = self.vocabulary.places([word.lower() for word in words])
        return [place != UNKNOWN for place in places.tolist()]

    def item(self, text: ChartText) -> Item:
        return Item(self.vocabulary.places(text.words), np.zeros(0, np.int64))

    def collate(self, items: Sequence[Item]) -> Batch:
        return collate(items, self.labels)

    def embed(self, batch: Batch) -> Tensor:
        return cast(Tensor, self.network.embed(batch.words))

    def encode(self, batch: Batch, embedded: Tensor) -> Encoded:
        return cast(Encoded, self.network.encode(embedded, batch.mask))

    def silence(self) -> Tensor:
        return cast(Tensor, self.network.embed(torch.tensor(PADDING, device=self.device)))


class AttentionScorer(WordScorer):
    """What `caml` and `effectivecan` share; they bring their encoder."""

    config_type: ClassVar[type[WordConfiguration]]
    config: WordConfiguration
    network: Network

    @classmethod
    @abstractmethod
    def encoder(cls, config: Any) -> Encoder:
        """A new encoder, with weights to be learnt."""

    @classmethod
    def new_network(cls, words: int, labels: int, config: WordConfiguration) -> Network:
        return Network(words, labels, cls.encoder(config), config)

    @classmethod
    def start(
        cls, network: Network, vocabulary: Vocabulary, labels: LabelSpace, items: Sequence[Item]
    ) -> None:
        start_from_shares(network.output.bias, items)
        if network.config.vectors is not None:
            start_from_vectors(network.embedding, vocabulary, network.config.vectors)
        if network.config.descriptions:
            start_from_descriptions(network, vocabulary, labels, items)
