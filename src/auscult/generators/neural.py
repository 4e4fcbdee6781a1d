"""What the neural generators share: training, decoding, saving weights."""

from __future__ import annotations

import copy
import hashlib
import math
import warnings
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self, cast

import numpy as np
import numpy.typing as npt
import torch
from pydantic import Field
from scipy.sparse import csr_array
from torch import Tensor, nn
from torch.nn import functional

from auscult.core import AuscultError
from auscult.core.progress import track
from auscult.corpus.records import RecordEncoder
from auscult.generators.batching import SKIPPED, RecordBatch, TextBatch, collate, record_batch
from auscult.generators.contract import GeneratorConfiguration, TextDecoding, TextExamples, Words
from auscult.generators.decoding import DecodingTask, State, decode, mark
from auscult.learning.arrays import stored_arrays
from auscult.learning.batch_loading import Movable
from auscult.learning.checkpoint import Checkpoint
from auscult.learning.devices import (
    available_or_auto,
    find_device,
    isolated_random_state,
    seed_torch,
    threads,
)
from auscult.learning.settings import RUNNING
from auscult.learning.training import train
from auscult.learning.training_configuration import TrainingConfiguration
from auscult.learning.weights import load_weights, save_weights
from auscult.learning.word_vocabulary import PADDING, UNKNOWN, WordVocabulary

_JUDGED_AT_ONCE = 256
_LIMITS = "limits.npz"
_ENOUGH = 2 / 3
SPECIAL = 2
"""Indices after those of the vocabulary: the end of a text, and its beginning."""


class NeuralGeneratorConfiguration(TrainingConfiguration, GeneratorConfiguration):
    """Hyperparameters of neural generators."""

    batch_size: int = Field(32, ge=1, description="Number of texts in a batch.")
    epochs: int = Field(15, ge=1, description="Maximum number of epochs.")
    patience: int = Field(
        3, ge=1, description="Epochs without improvement on dev before training stops."
    )
    min_steps: int = Field(
        1000,
        ge=0,
        description="Minimum number of training steps; with few texts, epochs and patience grow.",
    )
    learning_rate: float = Field(
        1e-3, gt=0, description="Peak learning rate (`lr_scheduler_type` sets its decay)."
    )
    warmup_ratio: float = Field(0.05, ge=0, lt=1, description="Fraction of the steps for warmup.")

    def for_texts(self, count: int) -> Self:
        """The same with enough epochs for so many texts to reach `min_steps`."""
        steps = math.ceil(count / self.batch_size) * self.epochs
        if steps >= self.min_steps:
            return self
        times = self.min_steps / steps
        return self.model_copy(
            update={
                "epochs": math.ceil(self.epochs * times),
                "patience": math.ceil(self.patience * times),
            }
        )


class GeneratorNetwork(nn.Module, ABC):
    """A network that predicts the next word of a record's text."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.end, self.begin = words, words + 1
        self.never: tuple[int, ...] = (PADDING, UNKNOWN, self.begin)

    def forward(self, batch: TextBatch) -> Tensor:
        """The mean loss of the words of a batch."""
        logits = self.logits(batch.records, batch.words)  # (B, T, V)
        return functional.cross_entropy(
            logits.flatten(0, 1), batch.targets.flatten(), ignore_index=SKIPPED
        )

    @abstractmethod
    def logits(self, records: RecordBatch, words: Tensor) -> Tensor:
        """The logits of the word after each, (B, T) → (B, T, V)."""

    @abstractmethod
    def start(self, records: RecordBatch) -> State:
        """The state before the first word."""

    @abstractmethod
    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        """From the last word of each row, (N,), the logits of the next, (N, V), and the state."""


class NeuralGenerator(ABC):
    """A network as a generator architecture. A subclass brings its network."""

    config_type: ClassVar[type[NeuralGeneratorConfiguration]]

    def __init__(
        self,
        network: GeneratorNetwork,
        vocabulary: WordVocabulary,
        longest: int,
        guarded: npt.NDArray[np.int64],
        config: NeuralGeneratorConfiguration,
    ) -> None:
        self.device = find_device(config.device)
        self.network = network.to(self.device).eval()
        self.vocabulary = vocabulary
        self.longest = longest
        self.guarded = guarded
        self.config = config

    @classmethod
    @abstractmethod
    def make(cls, places: int, words: int, longest: int, config: Any) -> GeneratorNetwork:
        """A new network for vectors and vocabularies of these sizes."""

    @classmethod
    def pretrain(
        cls, network: Any, vectors: csr_array, config: Any, *, seed: int, directory: Path | None
    ) -> None:
        """Pretrain the network before it sees a text; nothing by default."""
        return

    @classmethod
    def fit(
        cls,
        train_on: TextExamples,
        dev: TextExamples,
        encoder: RecordEncoder,
        config: Any,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Train on records and texts, with early stopping on dev."""
        vocabulary = known_words(train_on, config.min_patients)
        _warn_of_unknown(train_on, vocabulary, config.min_patients)
        longest = usual_longest(train_on)
        with threads(config.threads), isolated_random_state(torch.device("cpu")):
            seed_torch(seed, "start")
            network = cls.make(encoder.size, len(vocabulary), longest, config)
        guarded = guarded_texts(train_on, vocabulary, config.min_patients)
        fitted = cls(network, vocabulary, longest, guarded, config)
        cls.pretrain(network, train_on.vectors, config, seed=seed, directory=directory)
        fitted.train_network(train_on, dev, seed=seed, directory=directory)
        return fitted

    def train_network(
        self, made: TextExamples, dev: TextExamples, *, seed: int, directory: Path | None
    ) -> None:
        """Train the network, with early stopping by the loss on dev if there is one."""
        texts = [self.vocabulary.places(words) for words in made.words]
        dev_texts = [self.vocabulary.places(words) for words in dev.words]
        about = fingerprint(
            self.config, seed, made.vectors, texts, dev.vectors, dev_texts, self.vocabulary.words
        )
        train(
            self.network,
            [len(text) for text in texts],
            lambda places: self._batch(made.vectors, texts, places),
            self.config.for_texts(len(texts)),
            seed=seed,
            evaluate=(lambda: -self.loss(dev.vectors, dev_texts)) if dev_texts else None,
            tell=lambda best: f"lowest loss on dev {-best:.4f}",
            checkpoint=None
            if directory is None
            else Checkpoint(directory / "checkpoint.safetensors", about),
        )

    @torch.inference_mode()
    def loss(self, vectors: csr_array, texts: Sequence[npt.NDArray[np.int64]]) -> float:
        """The mean loss of the words of some texts."""
        total = count = 0.0
        for begin in range(0, len(texts), _JUDGED_AT_ONCE):
            places = range(begin, min(begin + _JUDGED_AT_ONCE, len(texts)))
            batch = cast(TextBatch, self._batch(vectors, texts, places).to(self.device))
            words = int((batch.targets != SKIPPED).sum())
            total += float(self.network(batch)) * words
            count += words
        return total / count

    def _batch(
        self, vectors: csr_array, texts: Sequence[npt.NDArray[np.int64]], places: Sequence[int]
    ) -> Movable:
        rows = list(places)
        return collate(
            vectors[rows], [texts[at] for at in rows], self.network.begin, self.network.end
        )

    def write(self, vectors: csr_array, decoding: TextDecoding, *, seed: int) -> list[Words]:
        """The words of a text for each record."""
        network = copy.deepcopy(self.network).double().cpu()
        longest = decoding.max_length or self.longest
        dice = np.random.default_rng(seed)
        found: list[list[int]] = []
        begins = range(0, vectors.shape[0], decoding.batch_size)
        with threads(self.config.threads), torch.inference_mode():
            for begin in track(begins, "writing", len(begins)):
                some = vectors[begin : begin + decoding.batch_size]
                start = network.start(record_batch(some))
                task = DecodingTask(network, start, longest, torch.from_numpy(self.guarded))
                found += decode(task, decoding, dice.random((some.shape[0], longest)))
        words = ("", "", *self.vocabulary.words)
        return [tuple(words[place] for place in text) for text in found]

    def save(self, directory: Path) -> None:
        """Write weights and vocabulary."""
        save_weights(self.network, directory)
        self.vocabulary.write(directory)
        np.savez_compressed(directory / _LIMITS, longest=self.longest, guarded=self.guarded)

    @classmethod
    def load(cls, directory: Path, encoder: RecordEncoder, config: Any) -> Self:
        """What `save` wrote, on whatever device there is now."""
        vocabulary = WordVocabulary.read(directory)
        file = directory / _LIMITS
        try:
            with stored_arrays(file) as kept:
                longest, guarded = int(kept["longest"]), kept["guarded"]
        except (OSError, ValueError, LookupError, EOFError) as error:
            raise AuscultError(f"{file} is missing or damaged; train again.") from error
        with isolated_random_state(torch.device("cpu")):
            network = cls.make(encoder.size, len(vocabulary), longest, config)
        load_weights(network, directory)
        here = config.model_copy(update={"device": available_or_auto(config.device)})
        return cls(network, vocabulary, longest, guarded, here)


def known_words(made: TextExamples, patients: int) -> WordVocabulary:
    """The words in the texts of at least so many patients. No other word is ever generated."""
    by_subject: dict[str, set[str]] = defaultdict(set)
    for subject, words in zip(made.subjects, made.words, strict=True):
        by_subject[subject].update(words)
    vocabulary = WordVocabulary.of(by_subject.values(), least=patients)
    if not vocabulary.words:
        raise AuscultError(
            f"No word occurs in the texts of at least {patients} patients, so the "
            "vocabulary is empty. Lower min_patients, or train on more texts."
        )
    return vocabulary


def _warn_of_unknown(made: TextExamples, vocabulary: WordVocabulary, patients: int) -> None:
    """Warn if many words of the texts will never be generated."""
    known = set(vocabulary.words)
    is_known = [word in known for words in made.words for word in words]
    if (share := sum(is_known) / len(is_known)) < _ENOUGH:
        warnings.warn(
            f"Only {len(known):,} words occur in the texts of at least {patients} patients. "
            f"They make up {share:.0%} of the training texts, and no other word is "
            "generated. Train on more texts, or lower min_patients.",
            stacklevel=2,
        )


def guarded_texts(
    made: TextExamples, vocabulary: WordVocabulary, patients: int
) -> npt.NDArray[np.int64]:
    """Hashes of the texts of fewer than so many patients, which are never generated verbatim."""
    subjects_of: dict[Words, set[str]] = defaultdict(set)
    for subject, words in zip(made.subjects, made.words, strict=True):
        subjects_of[words].add(subject)
    known = set(vocabulary.words)
    few = sorted(
        words
        for words, subjects in subjects_of.items()
        if len(subjects) < patients and known.issuperset(words)
    )
    return np.array([mark(vocabulary.places(words).tolist()) for words in few], np.int64)


def usual_longest(made: TextExamples) -> int:
    """The 99th percentile of the text lengths."""
    return int(np.quantile([len(words) for words in made.words], 0.99, method="higher"))


def fingerprint(config: NeuralGeneratorConfiguration, seed: int, *known: object) -> str:
    """A digest that identifies a training run."""
    digest = hashlib.sha256(repr(seed).encode())
    digest.update(config.model_dump_json(exclude=set(RUNNING)).encode())
    for one in known:
        if isinstance(one, csr_array):
            digest.update(one.indices.astype(np.int64).tobytes())
            digest.update(one.indptr.astype(np.int64).tobytes())
        elif isinstance(one, list):
            for text in one:
                digest.update(text.tobytes() + b"|")
        else:
            digest.update(repr(one).encode())
    return digest.hexdigest()
