"""Training of a masked language model: the one loop for encoders and for small models."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from auscult.core.randomness import shuffled
from auscult.learning.checkpoint import Checkpoint
from auscult.learning.devices import find_device, threads
from auscult.learning.step_times import StepTimes
from auscult.learning.training import train
from auscult.learning.training_configuration import TrainingConfiguration
from auscult.models.pretraining.masked_network import MaskedNetwork, mean_loss, perplexity
from auscult.models.pretraining.masking import WordMasking
from auscult.models.pretraining.token_store import TokenStore


class MaskedTraining:
    """A model of transformers, and the chunks that it is trained and validated on."""

    def __init__(
        self,
        model: Any,
        masking: WordMasking,
        store: TokenStore,
        config: TrainingConfiguration,
        seed: int,
        dev: TokenStore | None = None,
        max_dev_chunks: int | None = None,
    ) -> None:
        self.network = MaskedNetwork(model)
        self.masking, self.store, self.config, self.seed = masking, store, config, seed
        count = 0 if dev is None else len(dev)
        drawn = shuffled(range(count), random.Random(seed))[:max_dev_chunks]
        self._dev, self._places = dev, sorted(drawn)

    def train(self, places: Sequence[int], checkpoint: Checkpoint | None) -> StepTimes:
        """Train on the chunks at given indices; keep the weights of the best epoch on dev."""
        lengths = self.store.lengths
        return train(
            self.network,
            [int(lengths[at]) for at in places],
            lambda items: self.masking.batch(self.store, [places[item] for item in items]),
            self.config,
            seed=self.seed,
            evaluate=(lambda: -self._loss()) if self._places else None,
            tell=lambda best: f"best perplexity {perplexity(-best):.2f}",
            checkpoint=checkpoint,
        )

    def perplexity(self, what: str) -> float | None:
        """The perplexity with the current weights; None without dev chunks."""
        if not self._places:
            return None
        with threads(self.config.threads):
            self.network.to(find_device(self.config.device))
            return perplexity(self._loss(what))

    def _loss(self, what: str = "validating") -> float:
        assert self._dev is not None  # there are places in it
        return mean_loss(
            self.network, self._dev, self._places, self.masking, self.config.batch_size,
            seed=self.seed, what=what,
        )  # fmt: skip
