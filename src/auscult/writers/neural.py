"""What the neural writers share: learning, choosing words, keeping their weights."""

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
from auscult.learning.arrays import stored_arrays
from auscult.learning.checkpoint import Checkpoint
from auscult.learning.devices import find_device, own_dice, there_or_auto, threads, throw
from auscult.learning.settings import RUNNING
from auscult.learning.training import Movable, TrainingConfiguration, train
from auscult.learning.vocabulary import PADDING, UNKNOWN, Vocabulary
from auscult.learning.weights import load_weights, save_weights
from auscult.writers.batching import SKIPPED, Batch, RecordBatch, collate, record_batch
from auscult.writers.contract import Decoding, Examples, Words, WriterConfiguration
from auscult.writers.decoding import State, Task, decode, mark

_JUDGED_AT_ONCE = 256
_LIMITS = "limits.npz"
_ENOUGH = 2 / 3
SPECIAL = 2
"""Places after those of the vocabulary: the end of a text, and its beginning."""


class NeuralConfiguration(TrainingConfiguration, WriterConfiguration):
    """How a neural writer learns."""

    batch: int = Field(32, ge=1, description="Texts a step.")
    epochs: int = Field(15, ge=1, description="Times every text is seen, unless stopped early.")
    patience: int = Field(
        3, ge=1, description="Epochs without a lower loss on dev before training stops."
    )
    least_steps: int = Field(
        1000,
        ge=0,
        description="Steps at least; few texts get more epochs, and as much more patience.",
    )
    learning_rate: float = Field(1e-3, gt=0, description="The largest; it rises, then falls to 0.")
    warmup: float = Field(0.05, ge=0, lt=1, description="Share of the steps in which it rises.")

    def for_texts(self, count: int) -> Self:
        """The same with as many epochs as so many texts need for `least_steps`."""
        steps = math.ceil(count / self.batch) * self.epochs
        if steps >= self.least_steps:
            return self
        times = self.least_steps / steps
        return self.model_copy(
            update={
                "epochs": math.ceil(self.epochs * times),
                "patience": math.ceil(self.patience * times),
            }
        )


class WriterNetwork(nn.Module, ABC):
    """Says word for word what a record's text is."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.end, self.begin = words, words + 1
        self.never: tuple[int, ...] = (PADDING, UNKNOWN, self.begin)

    def forward(self, batch: Batch) -> Tensor:
        """The mean loss of a word of a batch."""
        logits = self.logits(batch.records, batch.words)  # (B, T, V)
        return functional.cross_entropy(
            logits.flatten(0, 1), batch.targets.flatten(), ignore_index=SKIPPED
        )

    @abstractmethod
    def logits(self, records: RecordBatch, words: Tensor) -> Tensor:
        """The scores of the word after each, (B, T) → (B, T, V)."""

    @abstractmethod
    def start(self, records: RecordBatch) -> State:
        """The state before the first word."""

    @abstractmethod
    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        """From the last word of each row (N,) the scores of the next (N, V), and the state."""


class NeuralPen(ABC):
    """A network as a writer's pen. A kind brings its network."""

    config_type: ClassVar[type[NeuralConfiguration]]

    def __init__(
        self,
        network: WriterNetwork,
        vocabulary: Vocabulary,
        longest: int,
        guarded: npt.NDArray[np.int64],
        config: NeuralConfiguration,
    ) -> None:
        self.device = find_device(config.device)
        self.network = network.to(self.device).eval()
        self.vocabulary = vocabulary
        self.longest = longest
        self.guarded = guarded
        self.config = config

    @classmethod
    @abstractmethod
    def make(cls, places: int, words: int, longest: int, config: Any) -> WriterNetwork:
        """A new network for vectors and vocabularies of these sizes."""

    @classmethod
    def pretrain(
        cls, network: Any, vectors: csr_array, config: Any, *, seed: int, directory: Path | None
    ) -> None:
        """Prepare the network before it sees a text; nothing unless a kind has something to do."""
        return

    @classmethod
    def fit(
        cls,
        train_on: Examples,
        dev: Examples,
        encoder: RecordEncoder,
        config: Any,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Learn from records and texts; dev decides when to stop."""
        vocabulary = known_words(train_on, config.least_patients)
        _warn_of_unknown(train_on, vocabulary, config.least_patients)
        longest = usual_longest(train_on)
        with threads(config.threads), own_dice(torch.device("cpu")):
            throw(seed, "start")
            network = cls.make(encoder.size, len(vocabulary), longest, config)
        guarded = guarded_texts(train_on, vocabulary, config.least_patients)
        fitted = cls(network, vocabulary, longest, guarded, config)
        cls.pretrain(network, train_on.vectors, config, seed=seed, directory=directory)
        fitted.learn(train_on, dev, seed=seed, directory=directory)
        return fitted

    def learn(self, made: Examples, dev: Examples, *, seed: int, directory: Path | None) -> None:
        """Train the network; the loss on dev decides when to stop, if there is one."""
        texts = [self.vocabulary.places(words) for words in made.words]
        judged = [self.vocabulary.places(words) for words in dev.words]
        about = fingerprint(
            self.config, seed, made.vectors, texts, dev.vectors, judged, self.vocabulary.words
        )
        train(
            self.network,
            [len(text) for text in texts],
            lambda places: self._batch(made.vectors, texts, places),
            self.config.for_texts(len(texts)),
            seed=seed,
            judge=(lambda: -self.loss(dev.vectors, judged)) if judged else None,
            tell=lambda best: f"lowest loss on dev {-best:.4f}",
            checkpoint=None
            if directory is None
            else Checkpoint(directory / "checkpoint.safetensors", about),
        )

    @torch.inference_mode()
    def loss(self, vectors: csr_array, texts: Sequence[npt.NDArray[np.int64]]) -> float:
        """The mean loss of a word, of some texts."""
        total = count = 0.0
        for begin in range(0, len(texts), _JUDGED_AT_ONCE):
            places = range(begin, min(begin + _JUDGED_AT_ONCE, len(texts)))
            batch = cast(Batch, self._batch(vectors, texts, places).to(self.device))
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

    def write(self, vectors: csr_array, decoding: Decoding, *, seed: int) -> list[Words]:
        """The words of a text for each record."""
        network = copy.deepcopy(self.network).double().cpu()
        longest = decoding.longest or self.longest
        dice = np.random.default_rng(seed)
        found: list[list[int]] = []
        begins = range(0, vectors.shape[0], decoding.batch)
        with threads(self.config.threads), torch.inference_mode():
            for begin in track(begins, "writing", len(begins)):
                some = vectors[begin : begin + decoding.batch]
                start = network.start(record_batch(some))
                task = Task(network, start, longest, torch.from_numpy(self.guarded))
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
        vocabulary = Vocabulary.read(directory)
        file = directory / _LIMITS
        try:
            with stored_arrays(file) as kept:
                longest, guarded = int(kept["longest"]), kept["guarded"]
        except (OSError, ValueError, LookupError, EOFError) as error:
            raise AuscultError(f"{file} is missing or damaged; train again.") from error
        with own_dice(torch.device("cpu")):
            network = cls.make(encoder.size, len(vocabulary), longest, config)
        load_weights(network, directory)
        here = config.model_copy(update={"device": there_or_auto(config.device)})
        return cls(network, vocabulary, longest, guarded, here)


def known_words(made: Examples, patients: int) -> Vocabulary:
    """The words in the texts of at least so many patients. No other word is ever written."""
    said: dict[str, set[str]] = defaultdict(set)
    for subject, words in zip(made.subjects, made.words, strict=True):
        said[subject].update(words)
    vocabulary = Vocabulary.of(said.values(), least=patients)
    if not vocabulary.words:
        raise AuscultError(
            f"No word is in the texts of {patients} patients, so there is none to write with. "
            "Lower least_patients, or bring more texts."
        )
    return vocabulary


def _warn_of_unknown(made: Examples, vocabulary: Vocabulary, patients: int) -> None:
    """Say so when much of what the texts say will never be written."""
    known = set(vocabulary.words)
    said = [word in known for words in made.words for word in words]
    if (share := sum(said) / len(said)) < _ENOUGH:
        warnings.warn(
            f"Only {len(known):,} words are shared by {patients} patients, {share:.0%} of what the "
            "texts say; nothing else is ever written. More texts help, or a lower least_patients.",
            stacklevel=2,
        )


def guarded_texts(made: Examples, vocabulary: Vocabulary, patients: int) -> npt.NDArray[np.int64]:
    """Marks of the texts of fewer than so many patients, none of which is ever written as it is."""
    said: dict[Words, set[str]] = defaultdict(set)
    for subject, words in zip(made.subjects, made.words, strict=True):
        said[words].add(subject)
    known = set(vocabulary.words)
    few = sorted(
        words
        for words, subjects in said.items()
        if len(subjects) < patients and known.issuperset(words)
    )
    return np.array([mark(vocabulary.places(words).tolist()) for words in few], np.int64)


def usual_longest(made: Examples) -> int:
    """The length that ninety-nine of a hundred texts do not exceed."""
    return int(np.quantile([len(words) for words in made.words], 0.99, method="higher"))


def fingerprint(config: NeuralConfiguration, seed: int, *known: object) -> str:
    """What tells one training from another."""
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
