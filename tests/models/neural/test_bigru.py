"""The classifier of chief complaints is trained as published (Lee 2018, supplement S4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from tests.models.neural.conftest import make_charts
from torch.nn import functional

from auscult.learning.steps import optimizer_of, rate
from auscult.models.architecture import TrainingData
from auscult.models.chart_scoring import Scores
from auscult.models.examples import Example
from auscult.models.kept_readings import Reading
from auscult.models.label_space import LabelSpace
from auscult.models.neural.bigru import BiGru, BiGruConfiguration

SMALL = {"embedding_dim": 8, "hidden_size": 8, "batch_size": 16, "threads": 1, "min_df": 1}


def test_adam_with_a_constant_rate_is_the_default() -> None:
    config = BiGruConfiguration()
    assert {rate(position, config) for position in (0, 0.01, 1, 50, config.epochs)} == {1.0}
    network = BiGru.new_network(5, 3, config)
    optimizer = optimizer_of(network, config, torch.device("cpu"))
    assert type(optimizer) is torch.optim.Adam
    (group,) = optimizer.param_groups
    assert (group["lr"], group["betas"], group["weight_decay"]) == (0.001, (0.9, 0.999), 0)


def test_training_stops_when_the_loss_on_dev_has_not_improved_for_two_epochs(
    labels: LabelSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loss is that of training, by torch; the epoch with the lowest is kept."""
    train, dev = make_charts(40), make_charts(12, seed=5)
    losses: list[float] = []
    own = BiGru.loss_of

    def by_torch(model: BiGru) -> float:
        batch = model.collate([model.item(one.text) for one in dev])
        with torch.inference_mode():
            logits = model.network._scores(model.encode(batch, model.embed(batch)))
        gold = torch.zeros(len(dev), len(labels))
        for row, one in enumerate(dev):
            gold[row, one.codes.tolist()] = 1 / len(one.codes)
        return float(functional.cross_entropy(logits, gold))

    def noted(
        self: BiGru, readings: Sequence[Reading], dev: Sequence[Example], share: Scores | None
    ) -> float:
        losses.append(own(self, readings, dev, share))
        assert losses[-1] == pytest.approx(by_torch(self), abs=1e-5)
        return losses[-1]

    monkeypatch.setattr(BiGru, "loss_of", noted)
    config = BiGruConfiguration.model_validate({**SMALL, "learning_rate": 0.02, "pooling": "max"})
    model = BiGru.fit(TrainingData(train, dev, labels), config, seed=0)
    lowest = int(np.argmin(losses))
    assert lowest > 0
    assert len(losses) == lowest + 1 + 2 < config.epochs
    assert by_torch(model) == pytest.approx(min(losses), abs=1e-5)
