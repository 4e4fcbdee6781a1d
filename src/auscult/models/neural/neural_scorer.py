"""What all neural scorers share: training, inference in batches, saving weights."""

from __future__ import annotations

import copy
import hashlib
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from auscult.learning import checkpoint
from auscult.learning.checkpoint import Checkpoint
from auscult.learning.devices import chosen_precision, find_device, threads
from auscult.learning.settings import RUNNING
from auscult.learning.step_times import StepTimes
from auscult.learning.training import train
from auscult.models.chart_scoring import (
    ChartConfiguration,
    EvidenceRequest,
    EvidenceWeights,
    ScoredChart,
    Scores,
)
from auscult.models.chart_text import ChartText
from auscult.models.decoding import log_loss, tune_codes
from auscult.models.examples import Example, count_codes
from auscult.models.kept_readings import Reading, kept_readings
from auscult.models.neural.batching import ChartBatch, EncodedChart
from auscult.models.neural.configuration import EvidenceConfiguration
from auscult.models.neural.evidence import CodePairs
from auscult.models.neural.explainers import explain, shares
from auscult.models.neural.network import Encoded
from auscult.models.perturbation import Perturbation, changed

_AHEAD = 8
"""Batches of charts read at once, so that charts of similar length can share a batch."""
_PAIRS = 64
"""Pairs of chart and code whose evidence is made at once."""
_TOKENS = 2_048
"""Words or pieces that a gradient is taken of at once: what the network computes for each of them
is kept for the way back, and the encoder's checkpointing is only for training."""
_LEAST = 1e-3
"""Weights below this are left out: no threshold is so low, and every word has some attention."""

AnyItem = TypeVar("AnyItem", bound=EncodedChart)
AnyBatch = TypeVar("AnyBatch", bound=ChartBatch)


class ReadableNetwork(Protocol):
    """What inference needs of a network."""

    def logits(self, encoded: Encoded, codes: Tensor | None = None) -> Tensor: ...
    def pairs(self, encoded: Encoded, rows: Tensor, codes: Tensor) -> CodePairs: ...
    def weights(self, encoded: Encoded, rows: Tensor, codes: Tensor) -> Tensor: ...


class NeuralScorer(ABC, Generic[AnyItem, AnyBatch]):
    """A network as a scorer. A subclass encodes charts as items and collates items into batches."""

    joins_words: ClassVar[bool] = True
    folds: ClassVar[int] = 0

    network: Any
    """An `nn.Module` with `ReadableNetwork`."""

    def __init__(self, network: nn.Module, labels: int, config: EvidenceConfiguration):
        self.device = find_device(config.device)
        self.network = network.to(self.device).eval()
        self.labels = labels
        self.config = config
        self.held_out: Sequence[ScoredChart] = ()
        self.step_times: StepTimes | None = None

    @property
    def evidence_step(self) -> float:
        """The step in which the evidence threshold is tuned."""
        return self.config.step

    def with_config(self, config: EvidenceConfiguration) -> Self:
        """The same network with other settings for evidence."""
        other = copy.copy(self)
        other.config = config
        return other

    @abstractmethod
    def item(self, text: ChartText) -> AnyItem:
        """A chart to be read, as numbers."""

    @abstractmethod
    def collate(self, items: Sequence[AnyItem]) -> AnyBatch:
        """Items as a batch."""

    @abstractmethod
    def embed(self, batch: AnyBatch) -> Tensor:
        """The embeddings of a batch's charts, (B, T, E)."""

    @abstractmethod
    def encode(self, batch: AnyBatch, embedded: Tensor) -> Encoded:
        """The output of the encoder for them."""

    @abstractmethod
    def baseline(self) -> Tensor:
        """The baseline embedding of a word without information, (E,)."""

    def by_word(self, item: AnyItem, weights: Scores, text: ChartText) -> Scores:
        """The weights of a chart's places, (T,), as weights of its words."""
        return weights[: len(text)]

    def loss_of(
        self, readings: Sequence[Reading], dev: Sequence[Example], share: Scores | None
    ) -> float:
        """The loss that the network is trained with, on dev; `share` is that of each code."""
        return log_loss(readings, dev, share)

    def train_network(
        self,
        items: Sequence[AnyItem],
        dev: Sequence[Example],
        *,
        seed: int,
        known: object,
        directory: Path | None,
    ) -> None:
        """Train the network, with early stopping on dev if there is one.

        `known` is whatever else than the items identifies this training run.
        """

        if self.config.weight and not any(one.evidence for one in items):
            warnings.warn(
                f"No training chart has evidence, so the evidence method {self.config.evidence} "
                "cannot be trained. The model is trained on the codes alone.",
                stacklevel=3,
            )
        share = (count_codes(items, self.labels) / len(items)).astype(np.float32)
        if self.config.class_weight == "balanced":
            self.network.share = torch.from_numpy(share).to(self.device)
        weighed = share if self.config.class_weight == "balanced" else None

        def evaluate() -> float:
            nothing = np.zeros(0, np.int64)
            read = self.read((one.text for one in dev), lambda _text, _: nothing)
            readings = list(kept_readings(read, dev))
            if self.config.metric_for_best_model == "loss":
                return -self.loss_of(readings, dev, weighed)
            return tune_codes(readings, dev).counts.f1 or 0.0

        def tell(best: float) -> str:
            is_loss = self.config.metric_for_best_model == "loss"
            return f"best loss {-best:.4f}" if is_loss else f"best micro-F1 {100 * best:.1f}"

        self.step_times = train(
            self.network,
            [len(one.words) for one in items],
            lambda places: self.collate([items[at] for at in places]),
            self.config,
            seed=seed,
            evaluate=evaluate if dev else None,
            tell=tell,
            checkpoint=None
            if directory is None
            else Checkpoint(
                directory / checkpoint.FILE,
                _fingerprint(items, dev, self.config, seed, known),
            ),
        )

    def read(
        self, texts: Iterable[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        """Score charts, in order. A chart without words has no code."""
        source = iter(texts)
        size = self.config.batch_size
        while window := list(islice(source, size * _AHEAD)):
            items = [self.item(text) for text in window]
            order = sorted(range(len(window)), key=lambda at: len(items[at].words))
            readings: dict[int, ScoredChart] = {}
            for begin in range(0, len(order), size):
                places = order[begin : begin + size]
                some = self._read(
                    [window[at] for at in places], [items[at] for at in places], evidence_for
                )
                readings.update(zip(places, some, strict=True))
            for at in range(len(window)):
                yield readings.pop(at)

    def scores_of_edits(
        self,
        text: ChartText,
        perturbed: Sequence[Perturbation],
        code: int,
        config: ChartConfiguration,
    ) -> Scores:
        """The scores after each perturbation. What is the same to the network is read once."""
        items: dict[bytes, AnyItem] = {}
        keys: list[bytes] = []
        for one in perturbed:
            made = self.item(changed(text, one, config))
            keys.append(self.key(made))
            items.setdefault(keys[-1], made)
        order = sorted(items, key=lambda key: len(items[key].words))
        scores = dict(zip(order, self.score([items[key] for key in order], code), strict=True))
        return np.array([scores[key] for key in keys], np.float32)

    def key(self, item: AnyItem) -> bytes:
        """The same for two charts that are the same to the network."""
        return item.words.tobytes()

    @torch.inference_mode()
    def score(self, items: Sequence[AnyItem], code: int) -> list[float]:
        """The score of one code for charts, those alike in length next to each other."""
        found: list[float] = []
        asked = torch.tensor([code], device=self.device)
        with threads(self.config.threads), self._precision():
            for begin in range(0, len(items), self.config.batch_size):
                some = items[begin : begin + self.config.batch_size]
                full = [one for one in some if len(one.words)]
                given: Iterator[float] = iter(())
                if full:
                    batch = self.collate(full).to(self.device)
                    encoded = self.encode(batch, self.embed(batch))
                    logits = self.network.logits(encoded, asked)[:, 0]
                    given = iter(logits.float().sigmoid().cpu().tolist())
                found += [next(given) if len(one.words) else 0.0 for one in some]
        return found

    @torch.inference_mode()
    def _read(
        self, texts: Sequence[ChartText], items: Sequence[AnyItem], evidence_for: EvidenceRequest
    ) -> list[ScoredChart]:
        scores = np.zeros((len(texts), self.labels), np.float32)
        full = [row for row, one in enumerate(items) if len(one.words)]
        evidence: list[dict[int, EvidenceWeights]] = [{} for _ in texts]
        with threads(self.config.threads), self._precision():
            if full:
                batch = self.collate([items[row] for row in full]).to(self.device)
                encoded = self.encode(batch, self.embed(batch))
                scores[full] = self.network.logits(encoded).float().sigmoid().cpu().numpy()
            chosen = [evidence_for(text, scores[row]) for row, text in enumerate(texts)]
            pairs = [(at, int(code)) for at, row in enumerate(full) for code in chosen[row]]
            by_gradient = self.config.explainer in ("attingrad", "integrated-gradients")
            if not by_gradient:
                parts = [pairs[at : at + _PAIRS] for at in range(0, len(pairs), _PAIRS)]
                given = self._weights(parts, lambda some: self._point(encoded, some))
            else:
                kept = [items[row] for row in full]
                parts = _within(_TOKENS, pairs, [len(one.words) for one in kept])
                given = self._weights(parts, lambda some: self._explain(kept, some))
            for (at, code), weights in given:
                row = full[at]
                by_word = self.by_word(items[row], weights, texts[row])
                if by_gradient:
                    by_word = shares(by_word)
                evidence[row][code] = EvidenceWeights.words(np.where(by_word < _LEAST, 0, by_word))
        return [ScoredChart(text, scores[row], evidence[row]) for row, text in enumerate(texts)]

    def _weights(
        self,
        parts: Sequence[Sequence[tuple[int, int]]],
        make: Callable[[Sequence[tuple[int, int]]], Tensor],
    ) -> Iterator[tuple[tuple[int, int], Scores]]:
        """Each pair of chart and code with its weights, made for the pairs of a part at once."""
        for some in parts:
            yield from zip(some, make(some).float().cpu().numpy(), strict=True)

    def _point(self, encoded: Encoded, pairs: Sequence[tuple[int, int]]) -> Tensor:
        rows, codes = torch.tensor(pairs, device=self.device).T
        weights: Tensor
        if self.config.explainer == "attention":
            weights = self.network.pairs(encoded, rows, codes).log_attention.exp()
        else:
            weights = self.network.weights(encoded, rows, codes)
        return weights  # (P, T)

    def _explain(self, items: Sequence[AnyItem], pairs: Sequence[tuple[int, int]]) -> Tensor:
        """The explainer's weights for pairs, each of which is a chart of its own in the batch."""
        network: ReadableNetwork = self.network
        # Tensors made within inference mode could have no gradient.
        with torch.inference_mode(mode=False):
            batch = self.collate([items[at] for at, _ in pairs]).to(self.device)
            rows = torch.arange(len(pairs), device=self.device)
            codes = torch.tensor([code for _, code in pairs], device=self.device)

            def see(embedded: Tensor) -> tuple[Tensor, Tensor]:
                encoded = self.encode(batch, embedded)
                attention = network.pairs(encoded, rows, codes).log_attention.exp()
                return network.logits(encoded, codes).diagonal(), attention

            return explain(
                self.config.explainer,
                see,
                self.embed(batch),
                self.baseline(),
                self.config.explainer_steps,
            )

    def _precision(self) -> torch.autocast:
        asked = self.config.inference_precision
        if asked == "auto":
            is_gpu = self.device.type == "cuda"
            asked = self.config.precision if is_gpu else "32"
        is_half = chosen_precision(asked, self.device) == "bf16"
        return torch.autocast(self.device.type, torch.bfloat16, enabled=is_half)


def _within(
    most: int, pairs: Sequence[tuple[int, int]], lengths: Sequence[int]
) -> list[list[tuple[int, int]]]:
    """Pairs of chart and code in parts of at most so many tokens with padding, or of one pair."""
    parts: list[list[tuple[int, int]]] = []
    longest = 0
    for pair in pairs:
        longest = max(longest, lengths[pair[0]])
        if not parts or longest * (len(parts[-1]) + 1) > most:
            parts.append([])
            longest = lengths[pair[0]]
        parts[-1].append(pair)
    return parts


def _fingerprint(
    items: Sequence[EncodedChart],
    dev: Sequence[Example],
    config: EvidenceConfiguration,
    seed: int,
    known: object,
) -> str:
    """A digest that identifies a training run: charts, settings, and the dev charts."""
    digest = hashlib.sha256(repr((seed, known)).encode())
    shown = {"explainer", "explainer_steps"}  # training does not depend on them
    digest.update(config.model_dump_json(exclude={*RUNNING, *shown}).encode())
    for one in items:
        digest.update(one.words.tobytes())
        digest.update(one.codes.tobytes())
        for code, places in one.evidence:
            digest.update(f"{code} {places.tolist()}".encode())
    for example in dev:
        digest.update(repr((example.chart_id, example.text.words, example.codes.tolist())).encode())
    return digest.hexdigest()
